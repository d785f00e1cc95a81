#include "choice/choice_store.hpp"

#include <utility>
#include <vector>

#include <fmt/format.h>

#include "hwgcn/base/error.hpp"
#include "hwgcn/methods/method_info.hpp"

#include "base/files/regular_file.hpp"
#include "training/checkpoint.hpp"

namespace hwgcn {
namespace {

// The checked archives that hold parameters do for these, too.
std::vector<TrainableMatrix> as_parameters(DenseMatrix predictions, int epochs, bool finished) {
    std::vector<TrainableMatrix> both;
    both.push_back({"predictions", std::move(predictions), false});
    both.push_back({"epochs", DenseMatrix(1, 2), false});
    both.back().value.at(0, 0) = static_cast<float>(epochs);
    both.back().value.at(0, 1) = finished ? 1.0F : 0.0F;
    return both;
}

}  // namespace

std::optional<RoundResult> ChoiceStore::find(const std::string& name, Index rows, Index columns,
                                             std::vector<std::string>& notes) const {
    std::error_code ignored;
    if (!keeps() || !std::filesystem::exists(file(name), ignored)) return std::nullopt;
    try {
        const std::string path = file(name).string();
        std::vector<TrainableMatrix> found = parameters_from(
            path, read_regular_file(file(name)), as_parameters(DenseMatrix(rows, columns), 0, false), name);
        const DenseMatrix& epochs = found.back().value;
        return RoundResult{std::move(found.front().value), static_cast<int>(epochs.at(0, 0)),
                           epochs.at(0, 1) != 0};
    } catch (const InputError& error) {
        notes.push_back(fmt::format("{}; the predictions are made again", error.what()));
        return std::nullopt;
    }
}

void ChoiceStore::keep(const std::string& name, const RoundResult& result) const {
    if (!keeps()) return;
    save_parameters(file(name), as_parameters(result.predictions, result.epochs, result.finished), name);
}

std::filesystem::path ChoiceStore::checkpoint(const std::string& name) const {
    return keeps() ? file(name) : std::filesystem::path();
}

}  // namespace hwgcn
