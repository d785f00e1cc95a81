#include "hwgcn/io/readers.hpp"
#include "hwgcn/io/writers.hpp"

#include "base/text_file.hpp"
#include "io/formats.hpp"

namespace hwgcn {
namespace {

namespace fs = std::filesystem;

// Of a folder, or a file that is the adjacency.
MatrixMarketFiles matrices_at(const fs::path& path) {
    if (!is_folder(path)) return {path, {}, {}, {}};
    return {find_file(path, "adjacency", {"mtx", "mtx.gz"}),
            find_file(path, "features", {"mtx", "mtx.gz"}),
            find_file(path, "labels", {"txt", "txt.gz"}),
            {}};
}

std::optional<DatasetLocation> recognise_matrix_market(const fs::path& path) {
    if (is_folder(path)) {
        if (matrices_at(path).adjacency.empty()) return std::nullopt;
        return located_folder(path);
    }
    const std::string file = path.filename().string();
    if (!is_there(path) || !(file.ends_with(".mtx") || file.ends_with(".mtx.gz"))) return std::nullopt;
    return DatasetLocation{name_of_file(path), path};
}

}  // namespace

Format matrix_market_format() {
    Format format;
    format.name = "matrix-market";
    format.endings = {".mtx", ".mtx.gz"};
    format.folder = "adjacency.mtx";
    format.recognise = recognise_matrix_market;
    format.files = [](const fs::path& path) {
        const MatrixMarketFiles matrices = matrices_at(path);
        return std::vector{matrices.adjacency, matrices.features, matrices.labels};
    };
    format.read = [](const fs::path& path, const ExecutionControl& control, const EdgeReading& reading) {
        MatrixMarketFiles files = matrices_at(path);
        files.reading = reading;
        return read_matrix_market_dataset(files, control);
    };
    format.write = write_matrix_market_dataset;
    format.written = matrix_market_file_names();
    return format;
}

}  // namespace hwgcn
