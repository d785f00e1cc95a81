#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "hwgcn/neighbor_weights/learn_weights.hpp"

namespace hwgcn {

/// Finished weight matrices on disk, one entry per order, named by the content of graph, features and
/// options.
class WeightCache {
  public:
    explicit WeightCache(std::filesystem::path directory);

    /// SHA-256 (hex) of everything that the weights of `order` depend on (not `keep`, which is applied
    /// afterwards).
    static std::string key(const Graph& graph, const CsrMatrix<float>& features, const WeightOptions& options,
                           int order);

    /// The entry, or nothing. A damaged entry counts as missing and is reported in `notes`.
    std::optional<OrderWeights> find(const std::string& key, std::vector<std::string>& notes) const;

    /// Adds an entry, atomically. A full or read-only disk is reported in `notes`, not thrown.
    void store(const std::string& key, const OrderWeights& weights, std::vector<std::string>& notes) const;

    const std::filesystem::path& directory() const { return directory_; }

  private:
    std::filesystem::path directory_;
};

}  // namespace hwgcn
