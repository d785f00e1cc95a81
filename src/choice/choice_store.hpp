#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "hwgcn/tensor/dense_matrix.hpp"

namespace hwgcn {

/// How a candidate stands after a round.
struct RoundResult {
    DenseMatrix predictions = {};  ///< of the held-out nodes
    int epochs = 0;                ///< done so far, of all trials together
    bool finished = false;         ///< it trains no further
};

/// Keeps how far the candidates of a choice have come, in a folder, so that an interrupted choice goes on.
/// What is damaged counts as missing. Names hold a hash of everything that a result depends on, and each file
/// holds its name, too, and nothing is ever used for another candidate or another choice.
class ChoiceStore {
  public:
    /// Without a folder nothing is kept. It is created with the first file.
    explicit ChoiceStore(std::filesystem::path folder = {}) : folder_(std::move(folder)) {}

    bool keeps() const { return !folder_.empty(); }

    /// What was kept under a name, if it is there and its predictions have these sizes; `notes` says what was
    /// wrong with it.
    std::optional<RoundResult> find(const std::string& name, Index rows, Index columns,
                                    std::vector<std::string>& notes) const;

    void keep(const std::string& name, const RoundResult& result) const;

    /// Where a training is put down; empty where nothing is kept.
    std::filesystem::path checkpoint(const std::string& name) const;

  private:
    std::filesystem::path file(const std::string& name) const {
        return folder_ / ("choice-" + name + ".npz");
    }

    std::filesystem::path folder_;
};

}  // namespace hwgcn
