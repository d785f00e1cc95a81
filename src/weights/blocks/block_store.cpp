#include "weights/blocks/block_store.hpp"

#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "hwgcn/base/error.hpp"
#include "hwgcn/base/version.hpp"
#include "hwgcn/weights/learn_weights.hpp"

#include "base/fail.hpp"
#include "base/files/atomic_file.hpp"
#include "base/json_text.hpp"
#include "base/parameter.hpp"
#include "weights/weight_parameters.hpp"

namespace hwgcn {
namespace {

using Json = nlohmann::ordered_json;

Json json_of(const OrderSummary& summary, const std::string& key) {
    return {{"order", summary.order},
            {"key", key},
            {"folder", block_folder_name(key)},
            {"problems", summary.problems},
            {"ring_pairs", summary.ring_pairs},
            {"largest_ring", summary.largest_ring},
            {"support", summary.support},
            {"unfinished", summary.unfinished},
            {"capped_rings", summary.capped_rings},
            {"capped_pairs", summary.capped_pairs},
            {"sampled_rings", summary.sampled_rings},
            {"iterations", summary.iterations},
            {"worst_gap", summary.worst_gap},
            {"worst_node", summary.worst_node}};
}

bool is_present(const std::filesystem::path& path) {
    std::error_code error;
    return std::filesystem::exists(path, error);
}

}  // namespace

BlockStore::BlockStore(const ShardReader& reader, const WeightOptions& options, std::filesystem::path folder)
    : blocks_(&reader.blocks()), options_(options), folder_(std::move(folder)), content_(reader.content()) {
    for (int order = 2; order <= options.order; ++order)
        keys_.push_back(WeightCache::key(content_, options, order));
}

std::filesystem::path BlockStore::file_of(Index block, int order) const {
    return folder_ / block_folder_name(key(order)) / block_file_name(blocks_->bounds[block]);
}

std::optional<OrderTally> BlockStore::find(Index block, int order, std::vector<std::string>& notes) const {
    const std::filesystem::path file = file_of(block, order);
    if (!is_present(file)) return std::nullopt;
    const Index first = blocks_->bounds[block];
    try {
        const RowFile found = read_rows(file, key(order), first, blocks_->bounds.back());
        const Index expected = blocks_->bounds[block + std::size_t{1}] - first;
        if (found.rows.rows == expected) return found.tally;
        fail_in_file(file.string(), fmt::format("has {} rows, expected {}", found.rows.rows, expected));
    } catch (const Error& failure) {
        notes.push_back(fmt::format("damaged part of the weights, learning it again: {}", failure.what()));
    } catch (const std::out_of_range&) {  // too few numbers in an array
        notes.push_back(fmt::format("damaged part of the weights, learning it again: {}", file.string()));
    }
    return std::nullopt;
}

// The time that it took stays out of the file: equal weights have equal bytes.
void BlockStore::write(Index block, int order, RowFile& rows) const {
    const double seconds = std::exchange(rows.tally.summary.seconds, 0.0);
    write_rows(file_of(block, order), key(order), blocks_->bounds[block], rows);
    rows.tally.summary.seconds = seconds;
}

void BlockStore::write_list(const std::vector<OrderSummary>& orders) const {
    Json settings = Json::object();
    for (const Parameter<WeightOptions>& parameter : weight_parameters()) {
        if (parameter.name != "keep") settings[parameter.name] = parameter.get(options_);
    }
    Json list = Json::array();
    for (const OrderSummary& summary : orders)
        list.push_back(json_of(summary, key(summary.order)));
    const Json json = {{"format", "hwgcn weights in blocks"},
                       {"version", version()},
                       {"content_sha256", content_},
                       {"nodes", blocks_->bounds.back()},
                       {"blocks", blocks_->count()},
                       {"settings", settings},
                       {"orders", list}};
    write_text_atomically(folder_ / list_name, json_text(json));
}

std::optional<OrderWeights> read_blocks(const std::filesystem::path& folder, const std::string& key,
                                        Index nodes) {
    OrderWeights order;
    order.cached = true;
    order.matrix = {nodes, nodes, {0}, {}, {}};
    OrderTally total;
    int number = 0;
    for (Index first = 0; first < nodes; first = static_cast<Index>(order.ring_sizes.size())) {
        const std::filesystem::path file = folder / block_folder_name(key) / block_file_name(first);
        if (!is_present(file)) return std::nullopt;
        const RowFile part = read_rows(file, key, first, nodes);
        append_rows(part, order);
        total.merge(part.tally);
        number = part.tally.summary.order;
    }
    order.summary = total.finished(number);
    return order;
}

}  // namespace hwgcn
