#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "hwgcn/base/run_control.hpp"
#include "hwgcn/dataset/dataset.hpp"

namespace hwgcn {

struct FeatureScaling;

/// What is made of the directions of edges.
enum class Directions {
    as_found,  ///< kept where the data has some: a matrix that is not symmetric, a table that says so
    kept,
    dropped,
};

/// What is read of the edges of a matrix.
struct EdgeReading {
    bool weights = true;  ///< values other than 1 are weights; otherwise an edge is there or not
    Directions directions = Directions::as_found;
    bool judge_columns = true;  ///< of a node table that comes along: see CsvFiles
};

/// Planetoid's eight files `PREFIX.{x,y,tx,ty,allx,ally,graph,test.index}`, for example "data/ind.cora".
/// The pickles are decoded by a reader that knows a handful of constructors and never executes anything.
Dataset read_planetoid(const std::filesystem::path& prefix);

/// A `.npz` archive in the layout of PyG / gnn-benchmark: adj_{data,indices,indptr,shape},
/// attr_{data,indices,indptr,shape} (or dense attr_matrix), labels.
/// A bare scipy `save_npz` adjacency (data, indices, indptr, shape, format) is read as a graph without
/// features.
Dataset read_npz_dataset(const std::filesystem::path& file, const ExecutionControl& control = {},
                         const EdgeReading& reading = {});

/// A table in CSV or TSV, plain or gzip-compressed.
struct CsvFiles {
    std::filesystem::path edges;     ///< two id columns and perhaps weights; others get a note
    std::filesystem::path nodes;     ///< header line; an id column, an optional label column, feature columns
    std::filesystem::path features;  ///< further features, one per line: node id, feature, and its value or 1
    std::string id_column;           ///< empty: the first column
    std::string label_column;        ///< empty: "label" or "class" where there is one
    /// Of the edge file. Empty: those called so (source, from, .. and target, to, ..), or the first two.
    std::string source_column;
    std::string target_column;
    /// Of the edge file: a name or, counted from 1, a number. Empty: "weight" where there is one and its
    /// numbers look like weights; "none": an edge is there or not.
    std::string weight_column;
    Directions directions = Directions::as_found;  ///< a file whose first line is "# directed" has some
    std::string categorical_columns;  ///< of the node table, separated by commas: words, even where numbers
    std::string ignored_columns;      ///< of the node table, separated by commas: no features
    std::string numeric_columns;      ///< of the node table, separated by commas: numbers that look like ids
    /// Whether columns of the node table that look like ids are left out, and logarithms may stand for
    /// numbers. Runs of earlier versions were trained without.
    bool judge_columns = true;
    /// Labels with several parts ("drama;comedy"), separated by this: the first is the class. Empty: all of
    /// it is.
    std::string label_separator;
    /// A label column of numbers: how many ranges of about as many nodes it is put into. Empty: each number
    /// is a class.
    std::string bins;
};
Dataset read_csv_dataset(const CsvFiles& files, const ExecutionControl& control = {});

/// A Matrix Market coordinate file as adjacency (`.mtx`, `.mtx.gz`), and optionally one as feature matrix and
/// a text file with one label per line.
struct MatrixMarketFiles {
    std::filesystem::path adjacency;
    std::filesystem::path features;  ///< empty: none
    std::filesystem::path labels;    ///< empty: none
    EdgeReading reading = {};
};
Dataset read_matrix_market_dataset(const MatrixMarketFiles& files, const ExecutionControl& control = {});

/// A dataset that can be named on the command line.
struct CatalogEntry {
    std::string name;
    std::string format;          ///< "built-in", "planetoid", "npz", "csv", "matrix-market"
    std::filesystem::path path;  ///< empty for built-in ones
};

/// The built-in datasets and those found under `data_directory` (itself and its folders planetoid/ and npz/),
/// by name.
std::vector<CatalogEntry> list_datasets(const std::filesystem::path& data_directory);

/// Whether a name stands for one of them, in capital or small letters.
bool is_listed(const std::string& name, const std::filesystem::path& data_directory);

/// Loads by name (built-in, or found under `data_directory`) or by path: `x.npz`, `x.mtx[.gz]`, a Planetoid
/// prefix `dir/ind.cora`, or a folder with edges.csv and nodes.csv. Unknown names suggest the nearest one.
Dataset load_dataset(const std::string& name_or_path, const std::filesystem::path& data_directory,
                     const ExecutionControl& control = {}, const EdgeReading& reading = {});

/// The files that `load_dataset` would read: none for a built-in dataset or an unknown name.
std::vector<std::filesystem::path> dataset_files(const std::string& name_or_path,
                                                 const std::filesystem::path& data_directory);

/// Nodes and edges that came after a model was trained: tables of additions only.
struct AddedFiles {
    std::filesystem::path nodes;     ///< a header; an id per line and the columns of features, in any order
    std::filesystem::path edges;     ///< between any two nodes, new or old
    std::filesystem::path features;  ///< in long form: node id, feature, and its value or 1
    std::string id_column;           ///< of `nodes`; empty: as in the dataset, or "id", or the first
    std::string label_column;        ///< of `nodes`; empty: "label" or "class". Labels are not used
    std::string source_column;       ///< of `edges`; empty: as in the dataset, or usual names, or the first
    std::string target_column;       ///< the same; or the second
    std::string weight_column;       ///< of `edges`; empty: as in the dataset, or "weight"

    bool any() const { return !nodes.empty() || !edges.empty() || !features.empty(); }
};

/// The dataset with new nodes behind the old ones. Nothing is fitted again: a column of numbers goes to the
/// feature of its name (or of its number, where features have no names), a column `city` of words to the
/// features `city=..`. Ends of edges and weights have the names that they have in the dataset; where edges
/// have directions, another header is refused unless its names say which end is which. Missing columns,
/// unknown ones and unknown words are told in the notes, of which the result has the new ones only. Throws
/// InputError, with file and line, for an id that is known already, an edge to a node that is not, and what
/// is no number.
Dataset with_additions(Dataset dataset, const AddedFiles& files, const FeatureScaling& scaling,
                       const ExecutionControl& control = {});

}  // namespace hwgcn
