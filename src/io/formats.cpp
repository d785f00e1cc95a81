#include "io/formats.hpp"

#include <fmt/format.h>

namespace hwgcn {

const std::vector<Format>& formats() {
    static const std::vector<Format> table = {
        planetoid_format(), npz_format(), csv_format(), matrix_market_format(), shards_format(),
    };
    return table;
}

bool is_there(const std::filesystem::path& path) {
    std::error_code ignored;
    return std::filesystem::exists(path, ignored);
}

bool is_folder(const std::filesystem::path& path) {
    std::error_code ignored;
    return std::filesystem::is_directory(path, ignored);
}

std::filesystem::path find_file(const std::filesystem::path& folder, std::string_view stem,
                                std::initializer_list<std::string_view> endings) {
    for (const std::string_view ending : endings) {
        std::filesystem::path file = folder / fmt::format("{}.{}", stem, ending);
        if (is_there(file)) return file;
    }
    return {};
}

DatasetLocation located_folder(const std::filesystem::path& folder) {
    // "." and "x/" have no names of their own.
    const std::filesystem::path whole = std::filesystem::absolute(folder).lexically_normal();
    return {(whole.has_filename() ? whole : whole.parent_path()).filename().string(), folder};
}

}  // namespace hwgcn
