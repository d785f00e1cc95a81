// Any texts as edge file, node table and feature list. Only errors that the library throws on purpose may
// come out.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "hwgcn/base/error.hpp"

#include "base/text_file.hpp"
#include "io/csv/csv_reader.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    constexpr char separator = '\x1e';  // the record separator of ASCII: no text needs it
    constexpr std::size_t largest_unpacked = std::size_t{1} << 20;
    const std::string_view input(reinterpret_cast<const char*>(data), size);
    std::vector<std::string_view> parts = {input};
    for (std::size_t end; (end = parts.back().find(separator)) != std::string_view::npos;) {
        const std::string_view last = parts.back();
        parts.back() = last.substr(0, end);
        parts.push_back(last.substr(end + 1));
    }
    parts.resize(3);

    hwgcn::CsvFiles files;
    files.edges = "edges.csv";
    if (!parts[1].empty()) files.nodes = "nodes.csv";
    if (!parts[2].empty()) files.features = "features.csv";
    // Labels as they are, their first parts, and ranges of numbers.
    for (const auto& [label_separator, bins] : {std::pair("", ""), std::pair(";", ""), std::pair("", "3")}) {
        files.label_separator = label_separator;
        files.bins = bins;
        try {
            const auto text = [&](std::size_t part) {
                return hwgcn::decode_text("input.csv", std::string(parts[part]), largest_unpacked);
            };
            hwgcn::parse_csv_dataset(files, text(0), text(1), text(2));
        } catch (const hwgcn::Error&) {
        }
    }
    return 0;
}
