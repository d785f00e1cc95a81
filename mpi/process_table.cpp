#include "process_table.hpp"

#include <array>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "tables.hpp"

namespace hwgcn::cluster {
namespace {

using cli::Align;
using cli::grouped;

std::vector<double> numbers_of(const ProcessLine& line) {
    return {static_cast<double>(line.blocks),
            static_cast<double>(line.nodes),
            static_cast<double>(line.rounds),
            static_cast<double>(line.halo_rows),
            line.received_mb,
            line.peak_mb};
}

ProcessLine line_from(std::string node, const std::vector<double>& numbers) {
    const auto whole = [&](std::size_t k) { return static_cast<std::int64_t>(numbers[k]); };
    return {std::move(node), whole(0), whole(1), whole(2), whole(3), numbers[4], numbers[5]};
}

}  // namespace

std::vector<ProcessLine> lines_of_all(const Place& place, const ProcessLine& own) {
    const std::vector<Bytes> numbers = gather(place.peers, 0, bytes_of(numbers_of(own)));
    const std::vector<Bytes> names = gather(place.peers, 0, bytes_of(std::span<const char>(own.node)));
    std::vector<ProcessLine> lines;
    for (std::size_t rank = 0; rank < numbers.size(); ++rank) {
        const std::vector<char> name = values_of<char>(names[rank]);
        lines.push_back(line_from(std::string(name.begin(), name.end()), values_of<double>(numbers[rank])));
    }
    return lines;
}

std::string process_count(std::size_t count) {
    return fmt::format("{} process{}", cli::grouped(static_cast<std::int64_t>(count)),
                       count == 1 ? "" : "es");
}

std::string processes_text(std::span<const ProcessLine> lines) {
    cli::Table table({{"process"},
                      {"machine", Align::left},
                      {"blocks"},
                      {"nodes"},
                      {"rounds"},
                      {"rows around"},
                      {"received"},
                      {"memory"}});
    for (std::size_t rank = 0; rank < lines.size(); ++rank) {
        const ProcessLine& line = lines[rank];
        table.add({fmt::to_string(rank), cli::printable(line.node), grouped(line.blocks), grouped(line.nodes),
                   grouped(line.rounds), grouped(line.halo_rows), cli::memory_text(line.received_mb),
                   cli::memory_text(line.peak_mb)});
    }
    return table.text();
}

cli::Json processes_json(std::span<const ProcessLine> lines) {
    cli::Json list = cli::Json::array();
    for (const ProcessLine& line : lines) {
        list.push_back({{"machine", line.node},
                        {"blocks", line.blocks},
                        {"nodes", line.nodes},
                        {"rounds", line.rounds},
                        {"halo_rows", line.halo_rows},
                        {"received_mb", line.received_mb},
                        {"peak_mb", line.peak_mb}});
    }
    return list;
}

}  // namespace hwgcn::cluster
