#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "hwgcn/linalg/dense_matrix.hpp"

namespace hwgcn {

/// Keeps how far the candidates of a choice have come, in a folder, so that an interrupted choice goes on.
/// What is damaged counts as missing. File names hold a hash of everything that a result depends on, so that
/// nothing is ever used for another choice.
class ChoiceStore {
  public:
    /// Without a folder nothing is kept. It is created with the first file.
    explicit ChoiceStore(std::filesystem::path folder = {}) : folder_(std::move(folder)) {}

    bool keeps() const { return !folder_.empty(); }

    /// The predictions that were kept under a name, if they are there and have these sizes.
    std::optional<DenseMatrix> find(const std::string& name, Index rows, Index columns) const;

    void keep(const std::string& name, const DenseMatrix& predictions) const;

    /// Where a training is put down; empty where nothing is kept.
    std::filesystem::path checkpoint(const std::string& name) const;

  private:
    std::filesystem::path file(const std::string& name) const {
        return folder_ / ("choice-" + name + ".npz");
    }

    std::filesystem::path folder_;
};

}  // namespace hwgcn
