#include "hwgcn/io/readers.hpp"
#include "hwgcn/io/writers.hpp"

#include "base/text_file.hpp"
#include "io/formats.hpp"

namespace hwgcn {
namespace {

namespace fs = std::filesystem;

std::optional<DatasetLocation> recognise_npz(const fs::path& path) {
    if (!path.filename().string().ends_with(".npz") || !is_there(path) || is_folder(path))
        return std::nullopt;
    return DatasetLocation{name_of_file(path), path};
}

}  // namespace

Format npz_format() {
    Format format;
    format.name = "npz";
    format.endings = {".npz"};
    format.recognise = recognise_npz;
    format.files = [](const fs::path& file) { return std::vector{file}; };
    format.read = read_npz_dataset;
    format.write = write_npz_dataset;
    return format;
}

}  // namespace hwgcn
