#include <array>
#include <numeric>
#include <utility>

#include "linalg/rows.hpp"
#include "linalg/transfer.hpp"
#include "models/method_definition.hpp"
#include "models/shared_parameters.hpp"

namespace hwgcn {
namespace {

struct MixHopOptions {
    std::vector<int> power_units = {20, 20, 20};  // hidden units for the powers 0, 1, 2, ..
    double input_dropout = 0.5;
    double hidden_dropout = 0.9;
};

constexpr double variance_floor = 1e-3;

// One layer is [ H Theta_0 | P H Theta_1 | .. | P^J H Theta_J ] (Abu-El-Haija et al. 2019). The first one
// takes the features with dropout, each row then scaled to length 1, and goes through batch normalisation,
// tanh and dropout; the blocks of the second one are the scores of each power, added up with learned weights.
class MixHop final : public Network {
  public:
    MixHop(const MixHopOptions& options, NetworkShape shape)
        : options_(options), shape_(shape), output_units_(options.power_units.size(), shape.classes) {}

    int steps() const override { return 2 * (static_cast<int>(options_.power_units.size()) - 1); }

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
        parameters[mix_slot] = {"mix", DenseMatrix(1, static_cast<Index>(output_units_.size())), false};
        return parameters;
    }

    Variable scores(Pass& pass) const override {
        Tape& tape = pass.tape();
        Variable h = pass.unit_features_times(pass.parameter(theta1_slot), options_.input_dropout);
        h = powers(pass, h, options_.power_units);
        h = batch_normalize(tape, h, pass.parameter(scale_slot), pass.parameter(offset_slot), variance_floor);
        h = tanh(tape, h);
        h = multiply(tape, pass.dropout(h, options_.hidden_dropout), pass.parameter(theta2_slot));
        return mix_blocks(tape, powers(pass, h, output_units_), pass.parameter(mix_slot));
    }

  private:
    enum Parameter : std::size_t { theta1_slot, scale_slot, offset_slot, theta2_slot, mix_slot, slot_count };

    static Index sum_of(const std::vector<int>& units) {
        return std::accumulate(units.begin(), units.end(), Index{0});
    }

    // A matrix of its own for every power, side by side.
    static TrainableMatrix glorot_powers(std::string name, Index rows, const std::vector<int>& units,
                                         std::uint64_t seed, std::uint64_t stream) {
        TrainableMatrix all{std::move(name), DenseMatrix(rows, sum_of(units)), true};
        Index first = 0;
        for (const int count : units) {
            const TrainableMatrix own = glorot({}, rows, count, true, seed, stream++);
            copy_columns(own.value, 0, count, all.value, first, Write::replace);
            first += count;
        }
        return all;
    }

    // Block j of `h` times P^j, by Horner's rule: [ h_0 | P [ h_1 | P [ h_2 | .. ] ] ].
    static Variable powers(Pass& pass, Variable h, const std::vector<int>& units) {
        Tape& tape = pass.tape();
        Index first = tape.value(h).columns;
        Variable result{};
        for (std::size_t j = units.size(); j-- > 0;) {
            first -= units[j];
            const Variable block = select_columns(tape, h, first, units[j]);
            result = j + 1 == units.size() ? block : concatenate(tape, std::array{block, result});
            if (j > 0) result = pass.propagate(result);
        }
        return result;
    }

    MixHopOptions options_;
    NetworkShape shape_;
    std::vector<int> output_units_;
};

std::vector<Parameter<MixHopOptions>> parameters() {
    using Options = MixHopOptions;
    return {list_parameter("power_units", &Options::power_units, Range<int>{1, 4096}, "N,N,..",
                           "hidden units for the powers 0, 1, 2, .. of the operator", 1),
            input_dropout_parameter<Options>(), hidden_dropout_parameter<Options>()};
}

// Abu-El-Haija et al. 2019.
std::vector<Setting> published(std::string_view dataset) {
    const bool citeseer = dataset == "citeseer";
    const bool pubmed = dataset == "pubmed";
    return {{"power_units", citeseer ? "20,20,20"
                            : pubmed ? "17,23,20"
                                     : "24,18,18"},
            {"optimizer", "gradient-descent"},
            {"rate", citeseer ? "0.25"
                     : pubmed ? "0.5"
                              : "1"},
            {"rate_interval", pubmed ? "20" : "40"},
            {"rate_drop", "0.01"},
            {"l2", citeseer ? "0.05" : "0.005"},
            {"epochs", "400"},
            {"patience", "200"}};
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
