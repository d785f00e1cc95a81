// Any two texts as edge file and node table. Only the errors that the library throws on purpose may come out.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "hwgcn/support/error.hpp"

#include "data/csv_reader.hpp"
#include "data/text_file.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    constexpr char separator = '\x1e';  // the record separator of ASCII: no text needs it
    constexpr std::size_t largest_unpacked = std::size_t{1} << 20;
    const std::string_view input(reinterpret_cast<const char*>(data), size);
    const std::size_t split = input.find(separator);

    hwgcn::CsvFiles files;
    files.edges = "edges.csv";
    if (split != std::string_view::npos) files.nodes = "nodes.csv";
    try {
        const std::string edges =
            hwgcn::decode_text("edges.csv", std::string(input.substr(0, split)), largest_unpacked);
        const std::string nodes =
            split == std::string_view::npos
                ? ""
                : hwgcn::decode_text("nodes.csv", std::string(input.substr(split + 1)), largest_unpacked);
        hwgcn::parse_csv_dataset(files, edges, nodes);
    } catch (const hwgcn::Error&) {
    }
    return 0;
}
