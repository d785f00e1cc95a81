#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "hwgcn/distributed/text_shards.hpp"
#include "hwgcn/tensor/csr_matrix.hpp"

#include "distributed/io/peer_ids.hpp"
#include "distributed/io/text_parts.hpp"
#include "distributed/io/text_pieces.hpp"
#include "io/csv/feature_columns.hpp"

namespace hwgcn {

/// The nodes that a process has read.
struct NodeShare {
    OwnIds ids;
    std::vector<Index> labels;             ///< of own nodes
    std::vector<std::string> class_names;  ///< of all
    std::vector<std::string> feature_names;
    std::vector<FeatureKind> feature_kinds;
    std::vector<std::string> notes;
};

/// An edge on its way.
struct TextEdge {
    Index from;
    Index to;
    float weight;
};

/// What was found in the edge file.
struct TextEdgeFacts {
    bool directed = false;
    bool weighted = false;  ///< a column holds weights
    std::int64_t bytes = 0;
    std::vector<std::string> notes;
};

/// The node table: read once for ids, labels and what the columns are, and once more for their features.
class TextNodeTable {
  public:
    explicit TextNodeTable(const TextReading& reading);

    NodeShare read(PeerIds& ids);
    void send_features(Index first_own, PartMail<Triplet<float>>& mail, const TextParts& parts);
    std::int64_t bytes() const { return text_.bytes(); }

  private:
    const TextReading& reading_;
    TextPieces text_;
    std::optional<FeatureColumns> columns_;
};

/// Nodes of an edge file without a node table: they are numbered as they appear.
NodeShare read_nodes_of_edges(const TextReading& reading, PeerIds& ids);

/// Sends every edge to the processes that have its ends.
TextEdgeFacts send_edges(const TextReading& reading, PeerIds& ids, PartMail<TextEdge>& mail,
                         const TextParts& parts);

/// Sends features in long form, the first of which gets the number `first_feature`; gives their names.
std::vector<std::string> send_listed_features(const TextReading& reading, PeerIds& ids, Index first_feature,
                                              PartMail<Triplet<float>>& mail, const TextParts& parts,
                                              std::int64_t& bytes);

}  // namespace hwgcn
