#include <array>
#include <numeric>
#include <utility>

#include <fmt/ranges.h>

#include "hwgcn/base/error.hpp"

#include "base/parameter.hpp"
#include "methods/method_definition.hpp"
#include "methods/shared_parameters.hpp"
#include "tensor/rows.hpp"
#include "tensor/transfer.hpp"

namespace hwgcn {
namespace {

enum class HiddenActivation { tanh, relu };
enum class BatchScale { learned, one };
enum class FeatureValues { given, binary };

struct MixHopOptions {
    std::vector<int> power_units = {20, 20, 20};  // hidden units for the powers 0, 1, 2, ..
    std::vector<int> output_blocks = {};          // the same for blocks of scores; empty: one per power
    HiddenActivation activation = HiddenActivation::tanh;
    BatchScale batch_scale = BatchScale::learned;
    FeatureValues feature_values = FeatureValues::given;  // read by features_for (methods)
    double input_dropout = 0.5;
    double hidden_dropout = 0.9;
};

constexpr double variance_floor = 1e-3;

// One layer is [ H Theta_0 | P H Theta_1 | .. | P^J H Theta_J ] (Abu-El-Haija et al. 2019). The first one
// takes the features with dropout, each row then scaled to length 1, and goes through batch normalisation,
// activation and dropout; the second one is made of blocks of scores, usually one per power, which are added
// up with learned weights.
class MixHop final : public Network {
  public:
    static constexpr bool takes_blocks = true;

    MixHop(const MixHopOptions& options, NetworkShape shape)
        : options_(options), shape_(shape), ones_(1, sum_of(options.power_units)) {
        std::vector<int> blocks = options.output_blocks;
        if (blocks.empty()) blocks.assign(options.power_units.size(), 1);
        if (sum_of(blocks) == 0)
            throw InputError(fmt::format("`output_blocks={}`: expected a block of at least one power",
                                         fmt::join(blocks, ",")));
        while (blocks.back() == 0)
            blocks.pop_back();
        output_blocks_ = sum_of(blocks);
        for (const int count : blocks)
            output_units_.push_back(count * shape.classes);
        fill(ones_, 1.0F);
    }

    int steps() const override {
        return static_cast<int>(options_.power_units.size() + output_units_.size()) - 2;
    }

    bool needs_all_nodes() const override { return true; }

    std::vector<TrainableMatrix> initial_parameters(std::uint64_t seed) const override {
        const Index hidden = sum_of(options_.power_units);
        std::vector<TrainableMatrix> parameters(slot_count);
        parameters[theta1_slot] =
            glorot_powers("theta1", shape_.features, options_.power_units, seed, 1 << 16);
        parameters[scale_slot] = {"scale", DenseMatrix(1, hidden), false};
        fill(parameters[scale_slot].value, 1.0F);
        parameters[offset_slot] = {"offset", DenseMatrix(1, hidden), false};
        parameters[theta2_slot] = glorot_powers("theta2", hidden, output_units_, seed, 2 << 16);
        parameters[mix_slot] = {"mix", DenseMatrix(1, output_blocks_), false};
        return parameters;
    }

    std::vector<TrainableMatrix> empty_statistics() const override {
        const Index hidden = ones_.columns();
        return {{"mean", DenseMatrix(1, hidden), false},
                {"inverse_deviation", DenseMatrix(1, hidden), false}};
    }

    std::vector<TrainableMatrix> statistics(Pass& pass) const override {
        Tape& tape = pass.tape();
        const DenseMatrix zeros(1, ones_.columns());
        BatchMoments found;
        batch_normalize(tape, first_layer(pass), tape.constant(ones_), tape.constant(zeros), variance_floor,
                        &found);
        std::vector<TrainableMatrix> result = empty_statistics();
        copy(found.means, result[0].value);
        copy(found.factors, result[1].value);
        return result;
    }

    Variable scores(Pass& pass) const override {
        Tape& tape = pass.tape();
        Variable h = normalized(pass, first_layer(pass));
        h = options_.activation == HiddenActivation::relu ? relu(tape, h) : tanh(tape, h);
        h = multiply(tape, pass.dropout(h, options_.hidden_dropout), pass.parameter(theta2_slot));
        return mix_blocks(tape, powers(pass, h, output_units_), pass.parameter(mix_slot));
    }

  private:
    enum Parameter : std::size_t { theta1_slot, scale_slot, offset_slot, theta2_slot, mix_slot, slot_count };
    enum Statistic : std::size_t { mean_slot = slot_count, inverse_deviation_slot, all_slots };

    Variable first_layer(Pass& pass) const {
        const Variable theta = pass.parameter(theta1_slot);
        return powers(pass, pass.unit_features_times(theta, options_.input_dropout), options_.power_units);
    }

    // Over the rows of the pass; with statistics, by those of the graph that they were found on, to the same
    // bits on this graph: (h - mean) / deviation * scale + offset, rounded after each step.
    Variable normalized(Pass& pass, Variable h) const {
        Tape& tape = pass.tape();
        const bool learns_scale = options_.batch_scale == BatchScale::learned;
        const Variable scale = learns_scale ? pass.parameter(scale_slot) : tape.constant(ones_);
        const Variable offset = pass.parameter(offset_slot);
        if (pass.parameters() < all_slots) return batch_normalize(tape, h, scale, offset, variance_floor);
        const Variable mean = pass.parameter(mean_slot);
        h = add_row(tape, h, combine(tape, -1.0F, mean, 0.0F, mean));
        h = scale_columns(tape, h, tape.value(pass.parameter(inverse_deviation_slot)));
        return add_row(tape, scale_columns(tape, h, tape.value(scale)), offset);
    }

    static Index sum_of(const std::vector<int>& units) {
        return std::accumulate(units.begin(), units.end(), Index{0});
    }

    // A matrix of its own for every power, side by side.
    static TrainableMatrix glorot_powers(std::string name, Index rows, const std::vector<int>& units,
                                         std::uint64_t seed, std::uint64_t stream) {
        TrainableMatrix all{std::move(name), DenseMatrix(rows, sum_of(units)), true};
        Index first = 0;
        for (const int count : units) {
            ++stream;
            if (count == 0) continue;
            const TrainableMatrix own = glorot({}, rows, count, true, seed, stream - 1);
            copy_columns(own.value, 0, count, all.value, first, Write::replace);
            first += count;
        }
        return all;
    }

    // Block j of `h` times P^j, by Horner's rule: [ h_0 | P [ h_1 | P [ h_2 | .. ] ] ]. The last one is not
    // empty.
    static Variable powers(Pass& pass, Variable h, const std::vector<int>& units) {
        Tape& tape = pass.tape();
        Index first = tape.value(h).columns;
        Variable result{};
        for (std::size_t j = units.size(); j-- > 0;) {
            first -= units[j];
            if (units[j] > 0) {
                const Variable block = select_columns(tape, h, first, units[j]);
                result = j + 1 == units.size() ? block : concatenate(tape, std::array{block, result});
            }
            if (j > 0) result = pass.propagate(result);
        }
        return result;
    }

    MixHopOptions options_;
    NetworkShape shape_;
    DenseMatrix ones_;
    Index output_blocks_ = 0;
    std::vector<int> output_units_;  // columns of scores for the powers 0, 1, 2, ..
};

std::vector<Parameter<MixHopOptions>> parameters() {
    using Options = MixHopOptions;
    return {list_parameter("power_units", &Options::power_units, Range<int>{1, 4096}, "N,N,..",
                           "hidden units for the powers 0, 1, 2, .. of the operator", 1),
            list_parameter("output_blocks", &Options::output_blocks, Range<int>{0, 64}, "N,N,..",
                           "blocks of scores for the powers 0, 1, 2, ..; empty: one for each")
                .listed_if_changed(),
            choice_parameter("activation", &Options::activation,
                             {{"tanh", HiddenActivation::tanh}, {"relu", HiddenActivation::relu}},
                             "function of the hidden units")
                .listed_if_changed(),
            choice_parameter("batch_scale", &Options::batch_scale,
                             {{"learned", BatchScale::learned}, {"one", BatchScale::one}},
                             "scale of each hidden unit after batch normalisation")
                .listed_if_changed(),
            choice_parameter("feature_values", &Options::feature_values,
                             {{"given", FeatureValues::given}, {"binary", FeatureValues::binary}},
                             "features as given, or 1 for every one that is not 0")
                .listed_if_changed(),
            input_dropout_parameter<Options>(),
            hidden_dropout_parameter<Options>()};
}

// As the authors' program trains the networks of the paper (Abu-El-Haija et al. 2019). Every word of a
// document counts 1 there, which changes Pubmed's features alone; batch normalisation has no scale; and the
// penalty is l2 times the squared norm, ours is half of that.
std::vector<Setting> published(std::string_view dataset) {
    const bool citeseer = dataset == "citeseer";
    const bool pubmed = dataset == "pubmed";
    std::vector<Setting> settings = {{"power_units", citeseer ? "20,20,20"
                                                     : pubmed ? "17,23,20"
                                                              : "24,18,18"},
                                     {"output_blocks", citeseer ? "1,1,1"
                                                       : pubmed ? "1,2,1"
                                                                : "0,1,1"},
                                     {"activation", "relu"},
                                     {"batch_scale", "one"},
                                     {"optimizer", "gradient-descent"},
                                     {"rate", citeseer ? "0.25"
                                              : pubmed ? "0.5"
                                                       : "1"},
                                     {"rate_interval", pubmed ? "20" : "40"},
                                     {"rate_drop", "0.01"},
                                     {"l2", citeseer ? "0.1" : "0.01"},
                                     {"epochs", "400"},
                                     {"patience", "200"}};
    if (pubmed) settings.push_back({"feature_values", "binary"});
    return settings;
}

// For many labels: nothing is dropped from the features, and nothing decays.
std::vector<Setting> published_light(std::string_view) {
    return {{"input_dropout", "0"}, {"hidden_dropout", "0.5"}, {"l2", "0"}, {"epochs", "300"}};
}

}  // namespace

MethodDefinition mixhop_light_method() {
    return network_method<MixHop>({.name = "mixhop-light",
                                   .title = "light MixHop",
                                   .description = "MixHop without dropout of features and without L2 penalty",
                                   .takes_directions = true},
                                  "mixhop", parameters(), published_light);
}

MethodDefinition mixhop_method() {
    return network_method<MixHop>({.name = "mixhop",
                                   .title = "MixHop",
                                   .description = "powers of the graph's operator side by side",
                                   .takes_directions = true},
                                  "mixhop", parameters(), published);
}

}  // namespace hwgcn
