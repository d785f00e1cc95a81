#include <algorithm>
#include <cmath>
#include <string_view>
#include <unordered_set>

#include <fmt/format.h>

#include "hwgcn/dataset/feature_scaling.hpp"

#include "base/fail.hpp"
#include "base/hash.hpp"
#include "dataset/table_column.hpp"

namespace hwgcn {
namespace {

constexpr std::int64_t many_features = 1'000'000;

class Validator {
  public:
    explicit Validator(const Dataset& dataset)
        : dataset_(dataset), where_(dataset.source.empty() ? dataset.name : dataset.source) {}

    void check_sizes() const {
        if (dataset_.nodes <= 0) fail(fmt::format("has {} nodes, expected at least one", dataset_.nodes));
        const auto nodes = static_cast<std::size_t>(dataset_.nodes);
        if (dataset_.features.rows != dataset_.nodes) {
            fail(fmt::format("has {} feature rows for {} nodes", dataset_.features.rows, nodes));
        }
        expect_size("labels", dataset_.labels.size(), nodes);
        if (!dataset_.node_ids.empty()) expect_size("node ids", dataset_.node_ids.size(), nodes);
        if (!dataset_.edge_weights.empty())
            expect_size("edge weights", dataset_.edge_weights.size(), dataset_.edges.size());
        const auto features = static_cast<std::size_t>(dataset_.features.columns);
        if (!dataset_.feature_kinds.empty())
            expect_size("kinds of features", dataset_.feature_kinds.size(), features);
        if (!dataset_.feature_names.empty()) {
            expect_size("feature names", dataset_.feature_names.size(),
                        static_cast<std::size_t>(dataset_.features.columns));
        }
        for (const TableColumn& column : dataset_.columns) {
            if (feature_count(column) > dataset_.features.columns - column.first_feature)
                fail(fmt::format("has {} features, too few for the column '{}'", features, column.name));
        }
    }

    void check_edges() const {
        for (const Edge& edge : dataset_.edges) {
            for (const Index end : {edge.from, edge.to}) {
                if (end < 0 || end >= dataset_.nodes) {
                    fail(fmt::format("edge {}-{}: node {} is outside 0..{}", edge.from, edge.to, end,
                                     dataset_.nodes - 1));
                }
            }
        }
    }

    void check_edge_weights() const {
        if (dataset_.edge_weights.empty()) return;
        expect_size("edge weights", dataset_.edge_weights.size(), dataset_.edges.size());
        for (std::size_t e = 0; e < dataset_.edges.size(); ++e) {
            const float weight = dataset_.edge_weights[e];
            if (std::isfinite(weight) && weight >= 0) continue;
            fail(fmt::format("edge {}-{} has the weight {}, expected a finite number of at least 0",
                             node_id(dataset_, dataset_.edges[e].from),
                             node_id(dataset_, dataset_.edges[e].to), weight));
        }
    }

    void check_labels() const {
        for (Index node = 0; node < dataset_.nodes; ++node) {
            const Index label = dataset_.labels[node];
            if (label != unlabelled && (label < 0 || label >= dataset_.classes())) {
                fail(fmt::format("node {}: class {} is outside 0..{}", node_id(dataset_, node), label,
                                 dataset_.classes() - 1));
            }
        }
    }

    void check_features() const {
        validate_csr(dataset_.features, fmt::format("{}: features", where_));
        // Memory is set aside per feature, so a number that nothing in the file supports must not pass.
        const std::int64_t plausible = many_features + 16 * dataset_.features.entries();
        if (dataset_.features.columns > plausible) {
            fail(fmt::format("claims {} features for {} stored values, more than can be",
                             dataset_.features.columns, dataset_.features.entries()));
        }
        for (Index node = 0; node < dataset_.nodes; ++node) {
            const SparseRow<float> row = dataset_.features.row(node);
            const auto bad = std::ranges::find_if(row.values, [](float value) { return std::isinf(value); });
            if (bad == row.values.end()) continue;
            fail(
                fmt::format("node {}: feature {} is {}, expected a finite number, or NaN where it is missing",
                            node_id(dataset_, node), row.indices[bad - row.values.begin()], *bad));
        }
    }

    // Splits and predictions name nodes by their ids.
    void check_ids() const {
        std::unordered_set<std::string_view> seen;
        for (const std::string& id : dataset_.node_ids) {
            if (!seen.insert(id).second) fail(fmt::format("two nodes have the id '{}'", id));
        }
    }

  private:
    [[noreturn]] void fail(std::string_view message) const { fail_in_file(where_, message); }

    void expect_size(std::string_view what, std::size_t found, std::size_t expected) const {
        if (found != expected) fail(fmt::format("has {} {}, expected {}", found, what, expected));
    }

    const Dataset& dataset_;
    const std::string& where_;
};

// What stands for the same data with a change.
void derive_content(Dataset& dataset, std::string_view change) {
    if (!dataset.content.empty()) dataset.content = Sha256().text(dataset.content).text(change).hex();
}

}  // namespace

void validate_dataset(const Dataset& dataset) {
    const Validator validator(dataset);
    validator.check_sizes();
    validator.check_ids();
    validator.check_edges();
    validator.check_edge_weights();
    validator.check_labels();
    validator.check_features();
    if (dataset.published_split) validate_split(*dataset.published_split, dataset);
}

void set_scale(Dataset& dataset, Scale scale) {
    if (dataset.scale == scale) return;
    dataset.scale = scale;
    dataset.fitted_scaling = nullptr;
    derive_content(dataset, fmt::format("scale={}", name_of(scale)));
}

void drop_weights(Dataset& dataset) {
    if (dataset.edge_weights.empty()) return;
    dataset.edge_weights.clear();
    dataset.weight_unit = 0;
    derive_content(dataset, "without weights");
}

void forget_content(Dataset& dataset) {
    dataset.blocks = {};
    dataset.fitted_scaling = nullptr;
    dataset.weight_unit = 0;
    dataset.content.clear();
}

std::string node_id(const Dataset& dataset, Index node) {
    return dataset.node_ids.empty() ? fmt::to_string(node) : dataset.node_ids[static_cast<std::size_t>(node)];
}

}  // namespace hwgcn
