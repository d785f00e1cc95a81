#include "io/planetoid/planetoid_reader.hpp"

#include <algorithm>
#include <limits>
#include <numeric>
#include <optional>
#include <span>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "hwgcn/io/readers.hpp"

#include "base/fail.hpp"
#include "base/files/input_file.hpp"
#include "base/number_text.hpp"
#include "base/text_file.hpp"
#include "io/numpy/pickle.hpp"
#include "io/numpy/pickle_numpy.hpp"

namespace hwgcn {
namespace {

constexpr Index validation_nodes = 500;

// One of the eight files: its content and its name for messages.
struct PlanetoidPart {
    std::string_view content;
    std::string file;
};

PlanetoidPart part(const PlanetoidFiles& files, std::string_view name) {
    const auto found = std::find(planetoid_parts.begin(), planetoid_parts.end(), name);
    const auto index = static_cast<std::size_t>(found - planetoid_parts.begin());
    return {files.contents[index], fmt::format("{}.{}", files.prefix, name)};
}

CsrMatrix<float> read_features(const PlanetoidPart& part) {
    const PickleDocument document = decode_pickle(part.content, part.file);
    return pickled_csr_matrix(*document.root, part.file);
}

struct Labels {
    std::vector<Index> of_row;
    Index classes = 0;
};

// The position of the single 1 in a row; a row of zeros has no label.
Index label_of(std::span<const std::int64_t> row, std::size_t number, std::string_view file) {
    const auto one = std::find(row.begin(), row.end(), 1);
    const auto zeros = std::count(row.begin(), row.end(), 0);
    if (zeros + (one != row.end() ? 1 : 0) != std::ssize(row)) {
        fail_in_file(file, fmt::format("row {} is not one-hot: expected at most one 1 among zeros", number));
    }
    return one == row.end() ? unlabelled : static_cast<Index>(one - row.begin());
}

Labels read_labels(const PlanetoidPart& part) {
    const PickleDocument document = decode_pickle(part.content, part.file);
    const NumpyArray array = pickled_array(*document.root, part.file);
    expect_axes(array, 2, part.file);
    const std::vector<std::int64_t> values = to_vector<std::int64_t>(array, part.file);
    if (values.empty()) fail_in_file(part.file, "has no labels, expected a row for each node");
    // Not empty, so both axes are bounded by the bytes that are there.
    const auto classes = static_cast<std::size_t>(array.shape[1]);
    Labels labels{{}, static_cast<Index>(classes)};
    for (std::size_t row = 0; row < values.size() / classes; ++row) {
        labels.of_row.push_back(label_of(std::span(values).subspan(row * classes, classes), row, part.file));
    }
    return labels;
}

std::vector<Index> read_test_index(const PlanetoidPart& part) {
    std::vector<Index> nodes;
    LineReader reader(part.content);
    while (reader.next()) {
        const std::string_view line = trimmed(reader.line());
        if (line.empty()) continue;
        const std::optional<Index> node = parse_number<Index>(line);
        if (!node || *node < 0) {
            fail_at_line(part.file, reader.line_number(),
                         fmt::format("expected the number of a node, found '{}'", excerpt(line)));
        }
        nodes.push_back(*node);
    }
    if (nodes.empty()) fail_in_file(part.file, "names no test node");
    return nodes;
}

struct NeighborLists {
    std::vector<Edge> edges;
    Index nodes = 0;  // that have a list, possibly an empty one
};

Index expect_node(const PickleValue& value, std::string_view file) {
    const std::int64_t node = pickled_integer(value, file);
    if (node < 0 || node >= std::numeric_limits<Index>::max()) {
        fail_at_byte(file, value.offset,
                     fmt::format("node {} is outside 0..{}", node, std::numeric_limits<Index>::max() - 1));
    }
    return static_cast<Index>(node);
}

NeighborLists read_graph(const PlanetoidPart& part) {
    const PickleDocument document = decode_pickle(part.content, part.file);
    const auto& lists = expect_pickled<PickleDict>(*document.root, part.file).entries;
    NeighborLists result;
    for (const auto& [key, list] : lists) {
        const Index node = expect_node(*key, part.file);
        for (const PickleValue* neighbor : expect_pickled<PickleList>(*list, part.file).items) {
            result.edges.push_back({node, expect_node(*neighbor, part.file)});
            // A list that many nodes share could unfold to far more than the file holds.
            if (result.edges.size() > part.content.size()) {
                fail_at_byte(part.file, list->offset, "more neighbors than the file has bytes");
            }
        }
        ++result.nodes;
    }
    return result;
}

struct PlanetoidContent {
    CsrMatrix<float> x, tx, allx;
    Labels y, ty, ally;
    NeighborLists graph;
    std::vector<Index> test_index;
    std::string prefix;
};

void expect_equal(std::string_view prefix, std::string_view what, std::int64_t first, std::string_view of,
                  std::int64_t second) {
    if (first != second) {
        fail_in_file(prefix, fmt::format("{} disagree: {} and {} in the files {}", what, first, second, of));
    }
}

void check_sizes(const PlanetoidContent& content) {
    const auto rows = [](const Labels& labels) { return std::ssize(labels.of_row); };
    const std::string_view prefix = content.prefix;
    expect_equal(prefix, "numbers of rows", content.x.rows, "x and y", rows(content.y));
    expect_equal(prefix, "numbers of rows", content.tx.rows, "tx and ty", rows(content.ty));
    expect_equal(prefix, "numbers of rows", content.allx.rows, "allx and ally", rows(content.ally));
    expect_equal(prefix, "numbers of test nodes", content.tx.rows, "tx and test.index",
                 std::ssize(content.test_index));
    expect_equal(prefix, "numbers of features", content.x.columns, "x and allx", content.allx.columns);
    expect_equal(prefix, "numbers of features", content.tx.columns, "tx and allx", content.allx.columns);
    expect_equal(prefix, "numbers of classes", content.y.classes, "y and ally", content.ally.classes);
    expect_equal(prefix, "numbers of classes", content.ty.classes, "ty and ally", content.ally.classes);
    if (content.x.rows > content.allx.rows) {
        fail_in_file(prefix, fmt::format("x has {} rows, more than the {} of allx, which it is a part of",
                                         content.x.rows, content.allx.rows));
    }
}

// The training labels are in two files, which belong together only if they agree.
void check_training_labels(const PlanetoidContent& content) {
    for (std::size_t row = 0; row < content.y.of_row.size(); ++row) {
        const Index in_y = content.y.of_row[row];
        const Index in_ally = content.ally.of_row[row];
        if (in_y != in_ally) {
            fail_in_file(content.prefix,
                         fmt::format("row {} has class {} in y and {} in ally", row, in_y, in_ally));
        }
    }
}

// Nodes are the rows of allx, then the test nodes up to the highest number in test.index.
Index count_nodes(const PlanetoidContent& content) {
    std::vector<Index> sorted = content.test_index;
    std::sort(sorted.begin(), sorted.end());
    const std::string file = content.prefix + ".test.index";
    if (sorted.front() < content.allx.rows) {
        fail_in_file(file, fmt::format("test node {} is one of the {} rows of allx", sorted.front(),
                                       content.allx.rows));
    }
    const auto repeated = std::adjacent_find(sorted.begin(), sorted.end());
    if (repeated != sorted.end()) fail_in_file(file, fmt::format("test node {} is listed twice", *repeated));
    // Numbers may be missing from test.index (Citeseer), but only those of nodes that the graph knows.
    const std::int64_t known =
        std::max(std::int64_t{content.graph.nodes}, std::int64_t{content.allx.rows} + content.tx.rows);
    if (sorted.back() >= known) {
        fail_in_file(file,
                     fmt::format("test node {} is outside the {} nodes of the graph", sorted.back(), known));
    }
    return sorted.back() + 1;
}

void check_edges(const PlanetoidContent& content, Index nodes) {
    for (const Edge& edge : content.graph.edges) {
        if (std::max(edge.from, edge.to) >= nodes) {
            fail_in_file(content.prefix + ".graph",
                         fmt::format("node {} is outside 0..{}", std::max(edge.from, edge.to), nodes - 1));
        }
    }
}

// The row of tx that belongs to each node after those of allx; -1 for a node that test.index does not list.
std::vector<Index> test_rows(const PlanetoidContent& content, Index nodes) {
    std::vector<Index> row_of(static_cast<std::size_t>(nodes - content.allx.rows), -1);
    for (std::size_t row = 0; row < content.test_index.size(); ++row)
        row_of[content.test_index[row] - content.allx.rows] = static_cast<Index>(row);
    return row_of;
}

CsrMatrix<float> join_features(const PlanetoidContent& content, const std::vector<Index>& row_of) {
    CsrMatrix<float> features = content.allx;
    for (const Index row : row_of) {
        if (row >= 0) {
            const auto [columns, values] = content.tx.row(row);
            features.indices.insert(features.indices.end(), columns.begin(), columns.end());
            features.values.insert(features.values.end(), values.begin(), values.end());
        }
        features.offsets.push_back(features.entries());
        ++features.rows;
    }
    return features;
}

std::vector<Index> join_labels(const PlanetoidContent& content, const std::vector<Index>& row_of) {
    std::vector<Index> labels = content.ally.of_row;
    for (const Index row : row_of)
        labels.push_back(row >= 0 ? content.ty.of_row[row] : unlabelled);
    return labels;
}

// The first rows train, the next ones validate, and test.index says what is tested.
Split make_published_split(const PlanetoidContent& content, const std::vector<Index>& labels) {
    const auto range = [](Index begin, Index end) {
        std::vector<Index> nodes(static_cast<std::size_t>(end - begin));
        std::iota(nodes.begin(), nodes.end(), begin);
        return nodes;
    };
    const Index train_end = content.x.rows;
    const Index validation_end = train_end + std::min(validation_nodes, content.allx.rows - train_end);
    Split split{"planetoid", range(0, train_end), range(train_end, validation_end), content.test_index};
    std::sort(split.test.begin(), split.test.end());
    for (std::vector<Index>* nodes : {&split.train, &split.validation, &split.test})
        std::erase_if(*nodes, [&](Index node) { return labels[node] == unlabelled; });
    return split;
}

PlanetoidContent decode_files(const PlanetoidFiles& files) {
    PlanetoidContent content;
    content.prefix = files.prefix;
    content.x = read_features(part(files, "x"));
    content.tx = read_features(part(files, "tx"));
    content.allx = read_features(part(files, "allx"));
    content.y = read_labels(part(files, "y"));
    content.ty = read_labels(part(files, "ty"));
    content.ally = read_labels(part(files, "ally"));
    content.graph = read_graph(part(files, "graph"));
    content.test_index = read_test_index(part(files, "test.index"));
    return content;
}

std::string dataset_name(const std::filesystem::path& prefix) {
    const std::string name = prefix.filename().string();
    return name.starts_with("ind.") ? name.substr(4) : name;
}

}  // namespace

Dataset assemble_planetoid(const PlanetoidFiles& files) {
    PlanetoidContent content = decode_files(files);
    check_sizes(content);
    check_training_labels(content);
    const Index nodes = count_nodes(content);
    check_edges(content, nodes);
    const std::vector<Index> row_of = test_rows(content, nodes);

    Dataset dataset;
    dataset.name = dataset_name(files.prefix);
    dataset.source = files.prefix;
    dataset.nodes = nodes;
    dataset.edges = std::move(content.graph.edges);
    dataset.features = join_features(content, row_of);
    dataset.labels = join_labels(content, row_of);
    for (Index label = 0; label < content.ally.classes; ++label)
        dataset.class_names.push_back(fmt::to_string(label));
    dataset.published_split = make_published_split(content, dataset.labels);
    if (const auto missing = std::count(row_of.begin(), row_of.end(), -1); missing > 0) {
        dataset.notes.push_back(fmt::format(
            "test.index leaves out {} of the nodes: they have no label and no features", missing));
    }
    validate_dataset(dataset);
    return dataset;
}

Dataset read_planetoid(const std::filesystem::path& prefix) {
    PlanetoidFiles files{prefix.string(), {}};
    std::vector<std::string> missing;
    for (const std::string_view name : planetoid_parts) {
        const std::string file = part(files, name).file;
        if (!std::filesystem::exists(file))
            missing.push_back(std::filesystem::path(file).filename().string());
    }
    if (!missing.empty()) {
        fail_in_file(files.prefix, fmt::format("missing {}; a Planetoid dataset is the eight files {}.{{{}}}",
                                               fmt::join(missing, ", "), prefix.filename().string(),
                                               fmt::join(planetoid_parts, ",")));
    }
    for (std::size_t i = 0; i < planetoid_parts.size(); ++i)
        files.contents[i] = read_file(part(files, planetoid_parts[i]).file);
    return assemble_planetoid(files);
}

}  // namespace hwgcn
