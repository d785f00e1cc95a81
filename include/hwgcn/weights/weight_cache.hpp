#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "hwgcn/weights/learn_weights.hpp"

namespace hwgcn {

/// Finished weight matrices on disk, one entry per order, named by the content of graph, features and
/// options. Orders that lie there in blocks (`learn_blocks`) are found, too, and never changed.
class WeightCache {
  public:
    /// Entries are looked for in `saved` first, where there is such a folder, and written to `directory`,
    /// unless that is empty.
    explicit WeightCache(std::filesystem::path directory, std::filesystem::path saved = {});

    /// SHA-256 (hex) of a graph and its features.
    static std::string content_hash(const Graph& graph, const CsrMatrix<float>& features);

    /// Names the weights of one order: depends on the content and on all options that change them (not on
    /// `keep`, which is applied afterwards).
    static std::string key(const std::string& content_hash, const WeightOptions& options, int order);

    /// The entry, or nothing. A damaged entry counts as missing and is reported in `notes`.
    std::optional<OrderWeights> find(const std::string& key, Index nodes,
                                     std::vector<std::string>& notes) const;

    /// Whether new entries are written.
    bool is_written() const { return !directory_.empty(); }

    /// Adds an entry, atomically. A full or read-only disk is reported in `notes`, not thrown: returns false.
    bool store(const std::string& key, const OrderWeights& weights, std::vector<std::string>& notes) const;

    /// The file that holds, or would hold, the entry.
    std::filesystem::path entry_path(const std::string& key) const;

  private:
    std::optional<OrderWeights> find_in(const std::filesystem::path& directory, const std::string& key,
                                        Index nodes, std::vector<std::string>& notes) const;

    std::filesystem::path directory_;
    std::filesystem::path saved_;
};

}  // namespace hwgcn
