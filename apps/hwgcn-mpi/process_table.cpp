#include "process_table.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "tables.hpp"

namespace hwgcn::cluster {
namespace {

using cli::Align;
using cli::grouped;

std::string rate_text(double per_second) {
    return per_second < 10 ? fmt::format("{:.1f}", per_second) : grouped(std::llround(per_second));
}

}  // namespace

std::vector<std::string> machines_of_all(Peers& peers, const std::string& node) {
    std::vector<std::string> machines;
    for (const Bytes& bytes : gather(peers, 0, bytes_of(std::span<const char>(node)))) {
        const std::vector<char> name = values_of<char>(bytes);
        machines.emplace_back(name.begin(), name.end());
    }
    return machines;
}

std::vector<ProcessLine> lines_of_all(Peers& peers, const ProcessLine& own) {
    std::vector<ProcessLine> lines;
    for (const Bytes& bytes : gather(peers, 0, bytes_of(std::span(&own, 1))))
        lines.push_back(values_of<ProcessLine>(bytes).front());
    return lines;
}

std::string rates_text(std::span<const LearnedNodes> processes, std::span<const std::string> machines) {
    std::size_t learning = 0;
    std::size_t slowest = 0;
    std::size_t fastest = 0;
    for (std::size_t rank = 0; rank < processes.size(); ++rank) {
        const double rate = processes[rank].per_second();
        if (!(rate > 0)) continue;
        if (learning == 0 || rate < processes[slowest].per_second()) slowest = rank;
        if (learning == 0 || rate > processes[fastest].per_second()) fastest = rank;
        ++learning;
    }
    if (learning < 2) return "";
    return fmt::format("{} to {} nodes/s per process (slowest: {} on {})",
                       rate_text(processes[slowest].per_second()), rate_text(processes[fastest].per_second()),
                       slowest, cli::printable(machines[slowest]));
}

std::string processes_text(std::span<const ProcessLine> lines, std::span<const std::string> machines) {
    cli::Table table({{"process"},
                      {"machine", Align::left},
                      {"blocks"},
                      {"nodes"},
                      {"rounds"},
                      {"rows around"},
                      {"received"},
                      {"memory"},
                      {"nodes/s"}});
    for (std::size_t rank = 0; rank < lines.size(); ++rank) {
        const ProcessLine& line = lines[rank];
        table.add({fmt::to_string(rank), cli::printable(machines[rank]), grouped(line.blocks),
                   grouped(line.nodes), grouped(line.rounds), grouped(line.halo_rows),
                   cli::memory_text(line.received_mb), cli::memory_text(line.peak_mb),
                   line.nodes_per_second > 0 ? rate_text(line.nodes_per_second) : "-"});
    }
    return table.text();
}

cli::Json processes_json(std::span<const ProcessLine> lines, std::span<const std::string> machines) {
    cli::Json list = cli::Json::array();
    for (std::size_t rank = 0; rank < lines.size(); ++rank) {
        const ProcessLine& line = lines[rank];
        list.push_back({{"machine", machines[rank]},
                        {"blocks", line.blocks},
                        {"nodes", line.nodes},
                        {"rounds", line.rounds},
                        {"halo_rows", line.halo_rows},
                        {"received_mb", line.received_mb},
                        {"peak_mb", line.peak_mb},
                        {"nodes_per_second", line.nodes_per_second}});
    }
    return list;
}

}  // namespace hwgcn::cluster
