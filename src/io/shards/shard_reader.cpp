#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <map>
#include <mutex>

#include <fcntl.h>
#include <fmt/format.h>

#include "hwgcn/base/error.hpp"
#include "hwgcn/dataset/feature_scaling.hpp"

#include "base/fail.hpp"
#include "base/files/file_descriptor.hpp"
#include "base/files/input_file.hpp"
#include "base/files/regular_file.hpp"
#include "dataset/table_column.hpp"
#include "io/merged_edges.hpp"
#include "io/numpy/npz_archive.hpp"
#include "io/shards/shard_part.hpp"
#include "io/shards/shards.hpp"

namespace hwgcn {
namespace {

namespace fs = std::filesystem;

FileDescriptor opened(const std::string& file) {
    FileDescriptor descriptor(::open(file.c_str(), O_RDONLY | O_CLOEXEC));
    if (!descriptor.is_open()) fail_in_file(file, fmt::format("cannot open: {}", std::strerror(errno)));
    return descriptor;
}

// Up to so many bytes from a place on; fewer at the end of the file.
std::size_t read_at(const FileDescriptor& descriptor, const std::string& file, char* bytes, std::size_t size,
                    std::size_t place) {
    std::size_t done = 0;
    while (done < size) {
        const ssize_t got =
            ::pread(descriptor.get(), bytes + done, size - done, static_cast<off_t>(place + done));
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) throw ExecutionError(fmt::format("{}: cannot be read: {}", file, std::strerror(errno)));
        if (got == 0) break;
        done += static_cast<std::size_t>(got);
    }
    return done;
}

}  // namespace

class ShardReader::Implementation {
  public:
    explicit Implementation(const fs::path& folder)
        : list(folder), description(list.description()), work(list.large_numbers("block_work")) {
        for (Index part = 0; part < list.parts(); ++part)
            parts_.emplace_back(list, part);
        if (work.size() != static_cast<std::size_t>(list.blocks().count()))
            list.fail("\"block_work\" should have a number per block");
    }

    /// Rows that may lie in several parts.
    CsrMatrix<float> rows(const RowFiles& files, Index columns, Index first, Index end) {
        if (first < 0 || first > end || end > list.nodes())
            throw InputError(fmt::format("nodes {}..{} of {}", first, end, list.nodes()));
        CsrMatrix<float> result{end - first, columns, {0}, {}, {}};
        while (first < end) {
            const Index part = list.part_of(first);
            const auto [part_first, part_end] = list.nodes_of(part);
            const Index stop = std::min(end, part_end);
            append_rows(result, rows_of_part(part, files, columns, {first - part_first, stop - part_first}));
            first = stop;
        }
        return result;
    }

    const PartReader& part(Index number) const { return parts_[number]; }

    const ShardList list;
    const Dataset description;
    const std::vector<std::int64_t> work;

  private:
    /// A file that was compared with its hash: where its elements begin, and how many there are.
    struct CheckedArray {
        std::size_t header = 0;
        std::int64_t elements = 0;
    };
    struct Range {
        std::int64_t begin;
        std::int64_t end;
    };

    CsrMatrix<float> rows_of_part(Index number, const RowFiles& files, Index columns, Range range) {
        const PartReader& part = parts_[number];
        const auto nodes = static_cast<std::int64_t>(part.nodes());
        CsrMatrix<float> rows{static_cast<Index>(range.end - range.begin), columns, {}, {}, {}};
        rows.offsets = array<std::int64_t>(number, files.offsets, {range.begin, range.end + 1}, nodes + 1);
        const Range entries{rows.offsets.front(), rows.offsets.back()};
        for (std::int64_t& offset : rows.offsets)
            offset -= entries.begin;
        rows.indices = array<Index>(number, files.columns, entries);
        rows.values = files.values.empty() ? std::vector<float>(rows.indices.size(), 1.0F)
                                           : array<float>(number, files.values, entries);
        validate_csr(rows, part.where(files.columns));
        return rows;
    }

    /// Some elements; of a file that should have `expected` of them, unless that is negative.
    template <typename T>
    std::vector<T> array(Index number, std::string_view name, Range range, std::int64_t expected = -1) {
        const std::string file = parts_[number].where(name);
        const CheckedArray checked = checked_array(number, name, dtype_of<T>());
        const bool fits = expected < 0 || checked.elements == expected;
        if (!fits || range.begin < 0 || range.begin > range.end || range.end > checked.elements)
            fail_in_file(file, fmt::format("has {} elements, and {}..{} are needed", checked.elements,
                                           range.begin, range.end));
        std::vector<T> values(static_cast<std::size_t>(range.end - range.begin));
        const std::size_t bytes = values.size() * sizeof(T);
        const std::size_t place = checked.header + static_cast<std::size_t>(range.begin) * sizeof(T);
        // NOLINTNEXTLINE(cppcoreguidelines-pro-type-reinterpret-cast): numbers as they lie in the file
        if (read_at(opened(file), file, reinterpret_cast<char*>(values.data()), bytes, place) != bytes)
            throw ExecutionError(fmt::format("{}: became shorter while it was read", file));
        return values;
    }

    CheckedArray checked_array(Index number, std::string_view name, const std::string& dtype) {
        const PartReader& part = parts_[number];
        const std::string file = part.where(name);
        const std::scoped_lock lock(access_);
        const auto known = checked_.find(file);
        if (known != checked_.end()) return known->second;
        expect_regular_file(file);
        if (file_sha256(file) != part.hash_of(name)) part.fail_damaged(name);
        std::string start(max_npy_header_bytes, '\0');
        start.resize(read_at(opened(file), file, start.data(), start.size(), 0));
        const NpyHeader header = parse_npy_header(start, file);
        expect_axes(header.array, 1, file);
        if (header.array.dtype != dtype)
            fail_in_file(file,
                         fmt::format("has elements of type {}, expected {}", header.array.dtype, dtype));
        return checked_.emplace(file, CheckedArray{header.size, header.array.shape.front()}).first->second;
    }

    std::vector<PartReader> parts_;
    std::mutex access_;
    std::map<std::string, CheckedArray> checked_;
};

ShardReader::ShardReader(const fs::path& folder)
    : implementation_(std::make_unique<Implementation>(folder)) {}
ShardReader::ShardReader(ShardReader&&) noexcept = default;
ShardReader& ShardReader::operator=(ShardReader&&) noexcept = default;
ShardReader::~ShardReader() = default;

Index ShardReader::nodes() const {
    return implementation_->list.nodes();
}

const NodeBlocks& ShardReader::blocks() const {
    return implementation_->list.blocks();
}

Dataset ShardReader::outline() const {
    const ShardList& list = implementation_->list;
    Dataset dataset = implementation_->description;
    std::vector<std::int32_t> places;
    for (Index part = 0; part < list.parts(); ++part) {
        const PartReader& reader = implementation_->part(part);
        std::ranges::copy(reader.list<Index>(shard_file::labels), std::back_inserter(dataset.labels));
        if (list.has("split"))
            std::ranges::copy(reader.list<std::int32_t>(shard_file::split), std::back_inserter(places));
    }
    for (Index node = 0; node < dataset.nodes; ++node) {
        const Index label = dataset.labels[node];
        if (label != unlabelled && (label < 0 || label >= dataset.classes()))
            list.fail(fmt::format("node {}: class {} is outside 0..{}", node, label, dataset.classes() - 1));
    }
    if (list.has("split")) take_split(dataset, places, list.text("split"));
    return dataset;
}

// Weights that are all the same count as none.
CsrMatrix<float> ShardReader::adjacency(Index first, Index end) const {
    CsrMatrix<float> rows =
        implementation_->rows(neighbor_files(weighted()), implementation_->list.nodes(), first, end);
    if (!weighted()) return rows;
    const double unit = weight_unit();
    for (float& value : rows.values) {
        if (!std::isfinite(value) || value <= 0)
            implementation_->list.fail(fmt::format("an edge has the weight {}", value));
        value = in_units(value, unit);
    }
    return rows;
}

CsrMatrix<float> ShardReader::arcs(Index first, Index end) const {
    const ShardList& list = implementation_->list;
    if (!list.flag("directed")) list.fail("the graph has no directions");
    const bool has_weights = list.flag("weighted");
    CsrMatrix<float> rows = implementation_->rows(arc_files(has_weights), list.nodes(), first, end);
    const double unit = weight_unit();
    for (float& value : rows.values) {
        if (has_weights) value = in_units(value, unit);
    }
    return rows;
}

CsrMatrix<float> ShardReader::features(Index first, Index end) const {
    const ShardList& list = implementation_->list;
    const auto columns = static_cast<Index>(list.number("features", ShardList::most));
    CsrMatrix<float> rows = implementation_->rows(feature_files, columns, first, end);
    if (std::ranges::any_of(rows.values, [](float value) { return std::isinf(value); }))
        list.fail(fmt::format("a feature of the nodes {}..{} is not finite", first, end - 1));
    if (columns == 0) return rows;
    return scaled(std::move(rows), *implementation_->description.fitted_scaling);
}

std::vector<std::string> ShardReader::ids(Index first, Index end) const {
    const ShardList& list = implementation_->list;
    std::vector<std::string> result;
    while (first < end) {
        const Index part = list.part_of(first);
        const auto [part_first, part_end] = list.nodes_of(part);
        const Index stop = std::min(end, part_end);
        std::vector<std::string> lines;
        if (list.flag("ids")) lines = implementation_->part(part).lines(shard_file::ids);
        for (; first < stop; ++first)
            result.push_back(lines.empty() ? fmt::to_string(first) : lines[first - part_first]);
    }
    return result;
}

bool ShardReader::weighted() const {
    return implementation_->list.flag("weighted") && implementation_->list.flag("weights_differ");
}

double ShardReader::weight_unit() const {
    return implementation_->list.measure("weight_unit");
}

double ShardReader::heaviest_weight() const {
    return implementation_->list.measure("heaviest_weight");
}

Index ShardReader::feature_count() const {
    const auto& scaling = implementation_->description.fitted_scaling;
    return scaling ? scaling->features : 0;
}

FeatureFacts ShardReader::facts() const {
    return {implementation_->list.flag("non_negative"), implementation_->list.measure("largest_norm")};
}

std::string ShardReader::content() const {
    return implementation_->description.content;
}

std::string ShardReader::list_hash() const {
    return implementation_->list.hash();
}

const std::vector<std::int64_t>& ShardReader::block_work() const {
    return implementation_->work;
}

}  // namespace hwgcn
