#include "distributed/io/shards_together.hpp"

#include <algorithm>
#include <span>
#include <utility>

#include <nlohmann/json.hpp>

#include "base/stopping.hpp"
#include "distributed/io/peer_texts.hpp"
#include "distributed/io/text_scaling.hpp"
#include "io/shards/shard_edges.hpp"

namespace hwgcn {
namespace {

/// Writes the own parts and finds, with the others, what is to be known of all.
class TogetherWriter {
  public:
    TogetherWriter(Peers& peers, const Dataset& outline, const TextParts& parts, bool weighted)
        : peers_(peers), outline_(outline), parts_(parts), tally_(parts.blocks, weighted) {
        facts_.weighted = weighted;
        facts_.ids = true;
    }

    void fit(const std::vector<CsrMatrix<float>>& features) {
        facts_.scaling = fit_scaling_together(peers_, outline_, features);
    }

    nlohmann::ordered_json write(const std::filesystem::path& folder, OwnParts& own,
                                 const ExecutionControl& control);
    WrittenShards finish();
    const ShardFacts& facts() const { return facts_; }

  private:
    Peers& peers_;
    const Dataset& outline_;
    const TextParts& parts_;
    ShardFacts facts_;
    EdgeTally tally_;  // of own parts
};

nlohmann::ordered_json TogetherWriter::write(const std::filesystem::path& folder, OwnParts& own,
                                             const ExecutionControl& control) {
    nlohmann::ordered_json json = nlohmann::ordered_json::array();
    const Index first = parts_.firsts[peers_.rank()];
    std::string_view ids = own.ids;
    for (Index number = first; number < parts_.firsts[peers_.rank() + 1]; ++number) {
        throw_if_stopped(control);
        ShardPart part{number, parts_.bounds[number], parts_.bounds[number + 1]};
        own.add_edges(part);
        tally_.add(part);
        part.features = std::move(own.features[static_cast<std::size_t>(number - first)]);
        const auto begin = own.labels.begin() + (part.first - parts_.bounds[first]);
        part.labels.assign(begin, begin + (part.end - part.first));
        std::size_t end = 0;
        for (Index node = part.first; node < part.end; ++node)
            end = ids.find(end_of_text, end) + 1;
        part.ids = ids.substr(0, end);
        std::ranges::replace(part.ids, end_of_text, '\n');
        ids.remove_prefix(end);
        json.push_back(write_shard_part(folder, part, facts_, outline_.directed));
        join_facts(facts_.features, facts_of(scaled(std::move(part.features), facts_.scaling)));
    }
    return json;
}

WrittenShards TogetherWriter::finish() {
    facts_.block_work = totals(peers_, std::move(tally_.block_work));
    const double largest = maximum(peers_, tally_.largest_weight);
    facts_.weights_differ = -maximum(peers_, -tally_.least_weight) < largest;
    facts_.heaviest_weight = static_cast<float>(largest);
    const bool only_loops = !any(peers_, !tally_.has_only_loops());
    const WeightSum sum =
        sum_in_order<WeightSum>(peers_, {}, [&](WeightSum& own) { tally_.add_weights(own, only_loops); });
    if (facts_.weighted) facts_.weight_unit = sum.mean();
    facts_.features.non_negative = !any(peers_, !facts_.features.non_negative);
    facts_.features.largest_norm = maximum(peers_, facts_.features.largest_norm);
    const std::vector<std::int64_t> counts = totals(peers_, {tally_.pairs, tally_.within, tally_.neighbors});
    return {counts[0],
            counts[2] == 0 ? 1.0 : static_cast<double>(counts[1]) / static_cast<double>(counts[2])};
}

}  // namespace

WrittenShards write_shards_together(Peers& peers, const std::filesystem::path& folder, const Dataset& outline,
                                    bool weighted, const ShardLayout& layout, const TextParts& parts,
                                    OwnParts own, const ExecutionControl& control) {
    TogetherWriter writer(peers, outline, parts, weighted);
    writer.fit(own.features);
    std::string written;
    do_together(peers, [&] { written = writer.write(folder, own, control).dump(); });
    const WrittenShards result = writer.finish();
    const std::vector<std::string> all = share_texts(peers, written);
    do_together(peers, [&] {
        if (peers.rank() != 0) return;
        nlohmann::ordered_json json = nlohmann::ordered_json::array();
        for (const std::string& text : all) {
            for (const nlohmann::ordered_json& part : nlohmann::ordered_json::parse(text))
                json.push_back(part);
        }
        write_shard_list(folder, outline, layout, writer.facts(), std::move(json));
    });
    return result;
}

}  // namespace hwgcn
