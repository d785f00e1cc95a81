#include "distributed/io/shards_together.hpp"

#include <algorithm>
#include <span>
#include <utility>

#include <nlohmann/json.hpp>

#include "base/stopping.hpp"
#include "distributed/io/peer_texts.hpp"
#include "distributed/io/text_scaling.hpp"

namespace hwgcn {
namespace {

/// Writes the own parts and finds, with the others, what is to be known of all.
class TogetherWriter {
  public:
    TogetherWriter(Peers& peers, const Dataset& outline, const TextParts& parts, bool weighted)
        : peers_(peers), outline_(outline), parts_(parts) {
        facts_.weighted = weighted;
        facts_.ids = true;
        facts_.block_work.assign(static_cast<std::size_t>(parts.blocks.count()), 0);
    }

    void fit(const std::vector<CsrMatrix<float>>& features) {
        facts_.scaling = fit_scaling_together(peers_, outline_, features);
    }

    nlohmann::ordered_json write(const std::filesystem::path& folder, OwnParts& own,
                                 const ExecutionControl& control);
    WrittenShards finish();
    const ShardFacts& facts() const { return facts_; }

  private:
    void note_pairs(const ShardPart& part);
    void note_walks(const ShardPart& part);
    double mean_of_weights() const;

    Peers& peers_;
    const Dataset& outline_;
    const TextParts& parts_;
    ShardFacts facts_;
    std::vector<float> pair_weights_;  // of own pairs, in order, loops left out
    std::vector<float> loop_weights_;
    double least_weight_ = std::numeric_limits<double>::infinity();  // of own pairs
    double largest_weight_ = 0;
    std::int64_t pairs_ = 0;
    std::int64_t neighbors_ = 0;  // of own nodes, loops left out
    std::int64_t within_ = 0;     // of them, those within a block
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
        note_pairs(part);
        note_walks(part);
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

// Every pair once, at its lower end.
void TogetherWriter::note_pairs(const ShardPart& part) {
    for (Index row = 0; row < part.neighbors.rows; ++row) {
        const SparseRow<float> entries = part.neighbors.row(row);
        for (std::size_t e = 0; e < entries.size(); ++e) {
            const Index node = part.first + row;
            if (entries.indices[e] < node) continue;
            ++pairs_;
            least_weight_ = std::min(least_weight_, static_cast<double>(entries.values[e]));
            largest_weight_ = std::max(largest_weight_, static_cast<double>(entries.values[e]));
            if (facts_.weighted)
                (entries.indices[e] == node ? loop_weights_ : pair_weights_).push_back(entries.values[e]);
        }
    }
}

// Walks of two steps by the node in their middle: its neighbors begin as many of them as it has neighbors.
void TogetherWriter::note_walks(const ShardPart& part) {
    for (Index row = 0; row < part.neighbors.rows; ++row) {
        const std::span<const Index> neighbors = part.neighbors.row(row).indices;
        const Index block = parts_.block_of(part.first + row);
        for (const Index neighbor : neighbors) {
            const Index other = parts_.block_of(neighbor);
            facts_.block_work[other] += std::ssize(neighbors);
            if (neighbor == part.first + row) continue;
            ++neighbors_;
            within_ += other == block ? 1 : 0;
        }
    }
}

// As `mean_weight` adds them up.
double TogetherWriter::mean_of_weights() const {
    struct Weights {
        double sum = 0;
        std::int64_t count = 0;
    };
    const bool only_loops = !any(peers_, !pair_weights_.empty());
    const std::vector<float>& own = only_loops ? loop_weights_ : pair_weights_;
    const Weights weights = sum_in_order<Weights>(peers_, {}, [&](Weights& sum) {
        for (const float weight : own)
            sum.sum += static_cast<double>(weight);
        sum.count += std::ssize(own);
    });
    return weights.count > 0 ? weights.sum / static_cast<double>(weights.count) : 1.0;
}

WrittenShards TogetherWriter::finish() {
    facts_.block_work = totals(peers_, std::move(facts_.block_work));
    largest_weight_ = maximum(peers_, largest_weight_);
    facts_.weights_differ = -maximum(peers_, -least_weight_) < largest_weight_;
    facts_.heaviest_weight = static_cast<float>(largest_weight_);
    if (facts_.weighted) facts_.weight_unit = mean_of_weights();
    facts_.features.non_negative = !any(peers_, !facts_.features.non_negative);
    facts_.features.largest_norm = maximum(peers_, facts_.features.largest_norm);
    const std::vector<std::int64_t> counts = totals(peers_, {pairs_, within_, neighbors_});
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
