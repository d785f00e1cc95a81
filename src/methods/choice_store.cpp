#include "methods/choice_store.hpp"

#include <utility>
#include <vector>

#include "hwgcn/models/trainable_matrix.hpp"
#include "hwgcn/support/error.hpp"
#include "hwgcn/support/input_file.hpp"

#include "training/checkpoint.hpp"

namespace hwgcn {
namespace {

// The checked archives that hold parameters do for a single matrix, too.
std::vector<TrainableMatrix> as_parameters(DenseMatrix predictions) {
    std::vector<TrainableMatrix> one;
    one.push_back({"predictions", std::move(predictions), false});
    return one;
}

}  // namespace

std::optional<DenseMatrix> ChoiceStore::find(const std::string& name, Index rows, Index columns) const {
    std::error_code ignored;
    if (!keeps() || !std::filesystem::exists(file(name), ignored)) return std::nullopt;
    try {
        const std::string path = file(name).string();
        std::vector<TrainableMatrix> found =
            parameters_from(path, read_file(file(name)), as_parameters(DenseMatrix(rows, columns)));
        return std::move(found.front().value);
    } catch (const InputError&) {
        return std::nullopt;
    }
}

void ChoiceStore::keep(const std::string& name, const DenseMatrix& predictions) const {
    if (!keeps()) return;
    save_parameters(file(name), as_parameters(predictions));
}

std::filesystem::path ChoiceStore::checkpoint(const std::string& name) const {
    return keeps() ? file(name) : std::filesystem::path();
}

}  // namespace hwgcn
