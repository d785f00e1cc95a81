#include "methods/trees/tree_growth.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "base/parallel_for.hpp"

namespace hwgcn {
namespace {

constexpr std::int64_t one_first = std::int64_t{1} << 32;

// Splits of less work are looked for by one thread.
constexpr std::size_t least_work_to_share = 100'000;

// The largest 2^k with  sum |x| 2^k + count <= 2^30.
int scale_of(double sum, std::size_t count) {
    const double most = 0x1p30 - static_cast<double>(count);
    if (!(sum > 0)) return 0;
    int exponent = 0;
    std::frexp(most / sum, &exponent);
    return std::clamp(exponent - 1, -60, 200);
}

std::int64_t whole(double x, int scale) {
    return static_cast<std::int64_t>(std::floor(std::ldexp(x, scale) + 0.5));
}

}  // namespace

QuantizedDerivatives quantized(std::span<const double> first, std::span<const double> second,
                               std::span<const std::uint32_t> rows) {
    double firsts = 0, seconds = 0;
    for (const std::uint32_t row : rows) {
        firsts += std::abs(first[row]);
        seconds += second[row];
    }
    const int first_scale = scale_of(firsts, rows.size()), second_scale = scale_of(seconds, rows.size());
    QuantizedDerivatives result{std::vector<std::int64_t>(first.size(), 0), std::ldexp(1.0, -first_scale),
                                std::ldexp(1.0, -second_scale)};
    for (const std::uint32_t row : rows)
        result.packed[row] = whole(first[row], first_scale) * one_first + whole(second[row], second_scale);
    return result;
}

float GrownTree::value(const BinnedTable& table, std::uint32_t row) const {
    std::int32_t k = 0;
    while (places[k].column != TreePlace::leaf) {
        const Place& place = places[k];
        const std::uint8_t bin = table.column(place.column)[row];
        const bool left = bin == BinnedTable::missing_bin ? place.missing_left : bin <= place.bin;
        k = left ? place.left : place.right;
    }
    return places[k].value;
}

void GrownTree::append_to(Forest& forest, const BinnedTable& table) const {
    forest.roots.push_back(static_cast<std::int32_t>(forest.places.size()));
    std::vector<std::pair<std::int32_t, std::int32_t>> open = {{0, -1}};  // and whose right child it is
    while (!open.empty()) {
        const auto [k, parent] = open.back();
        open.pop_back();
        const Place& place = places[k];
        const auto at = static_cast<std::int32_t>(forest.places.size());
        if (parent >= 0) forest.places[parent].right = at;
        const bool is_leaf = place.column == TreePlace::leaf;
        forest.places.push_back({place.column, is_leaf ? place.value : table.edges(place.column)[place.bin],
                                 place.missing_left, static_cast<float>(place.rows), 0});
        if (is_leaf) continue;
        open.emplace_back(place.right, at);
        open.emplace_back(place.left, -1);
    }
}

TreeGrower::TreeGrower(const BinnedTable& table, TreeOptions options) : table_(table), options_(options) {
    offsets_.push_back(0);
    for (Index c = 0; c < table.columns(); ++c)
        offsets_.push_back(offsets_.back() + table.edges(c).size() + 2);
    splits_.resize(static_cast<std::size_t>(table.columns()));
    other_splits_.resize(splits_.size());
}

TreeGrower::Sums TreeGrower::unpacked(std::int64_t packed) {
    const std::int64_t second = packed & (one_first - 1);
    return {(packed - second) / one_first, second};
}

double TreeGrower::score(Sums sums) const {
    const double first = static_cast<double>(sums.first) * first_unit_;
    return first * first / (weight(sums) + options_.l2);
}

int TreeGrower::take_histogram() {
    if (free_histograms_.empty()) {
        histograms_.emplace_back(offsets_.back());
        return static_cast<int>(histograms_.size()) - 1;
    }
    const int taken = free_histograms_.back();
    free_histograms_.pop_back();
    return taken;
}

void TreeGrower::count(Index column, const Leaf& leaf, std::span<const std::int64_t> gathered) {
    const std::size_t bins = table_.edges(column).size() + 2;
    std::int64_t sums[BinnedTable::missing_bin + 1];
    std::fill_n(sums, bins - 1, 0);
    sums[BinnedTable::missing_bin] = 0;
    const std::uint8_t* const bin = table_.column(column).data();
    const std::uint32_t* const rows = rows_.data() + leaf.begin;
    for (std::size_t k = 0; k < gathered.size(); ++k)
        sums[bin[rows[k]]] += gathered[k];
    std::int64_t* const out = histogram(leaf, column);
    std::copy_n(sums, bins - 1, out);
    out[bins - 1] = sums[BinnedTable::missing_bin];
}

// Of equal gains the first edge. Where nothing is missing here, what may be missing elsewhere goes to the
// side that weighs more.
TreeGrower::Split TreeGrower::best_of(Index column, const Leaf& leaf) const {
    const std::int64_t* const sums = histogram(leaf, column);
    const std::size_t edges = table_.edges(column).size();
    const std::int64_t lost = sums[edges + 1];
    const double alone = score(unpacked(leaf.total));
    Split best{0, column};
    std::int64_t below = 0;
    const auto consider = [&](std::size_t edge, std::int64_t left, bool missing_left) {
        const Sums l = unpacked(left), r = unpacked(leaf.total - left);
        if (weight(l) < options_.least_weight || weight(r) < options_.least_weight) return;
        const double gain = score(l) + score(r) - alone;
        if (!(gain > best.gain)) return;
        best = {gain, column, static_cast<std::uint8_t>(edge), missing_left};
        if (lost == 0) best.missing_left = l.second >= r.second;
    };
    for (std::size_t edge = 0; edge < edges; ++edge) {
        if (sums[edge] == 0 && edge > 0) continue;  // the same rows as at the edge before
        below += sums[edge];
        consider(edge, below, false);
        if (lost != 0) consider(edge, below + lost, true);
    }
    return best;
}

void TreeGrower::look_for_splits(Leaf& counted, Leaf* other, std::span<const Index> columns,
                                 const ExecutionControl& control) {
    counted.best = {};
    if (other != nullptr) other->best = {};
    gathered_.resize(counted.size());
    for (std::size_t k = 0; k < gathered_.size(); ++k)
        gathered_[k] = packed_[rows_[counted.begin + k]];
    const auto look = [&](int, std::int64_t k) {
        const Index column = columns[static_cast<std::size_t>(k)];
        count(column, counted, gathered_);
        splits_[k] = best_of(column, counted);
        if (other == nullptr) return;
        const std::int64_t* const part = histogram(counted, column);
        std::int64_t* const rest = histogram(*other, column);
        for (std::size_t bin = 0; bin < table_.edges(column).size() + 2; ++bin)
            rest[bin] -= part[bin];
        other_splits_[k] = best_of(column, *other);
    };
    const auto many = static_cast<std::int64_t>(columns.size());
    const bool alone = columns.size() * counted.size() < least_work_to_share;
    parallel_for(many, alone ? many : 4, {alone ? 1 : control.threads, nullptr, control.stop}, look);
    for (std::size_t k = 0; k < columns.size(); ++k) {
        if (splits_[k].gain > counted.best.gain) counted.best = splits_[k];
        if (other != nullptr && other_splits_[k].gain > other->best.gain) other->best = other_splits_[k];
    }
}

// The leaf becomes its left child; the right one is returned. Rows keep their order.
TreeGrower::Leaf TreeGrower::divide(Leaf& leaf, GrownTree& tree) {
    const Split split = leaf.best;
    const std::uint8_t* const bin = table_.column(split.column).data();
    std::int64_t left_total = 0;
    std::size_t kept = leaf.begin;
    moved_.clear();
    for (std::size_t k = leaf.begin; k < leaf.end; ++k) {
        const std::uint32_t row = rows_[k];
        const bool left = bin[row] == BinnedTable::missing_bin ? split.missing_left : bin[row] <= split.bin;
        if (left) {
            left_total += packed_[row];
            rows_[kept++] = row;
        } else {
            moved_.push_back(row);
        }
    }
    std::ranges::copy(moved_, rows_.begin() + static_cast<std::ptrdiff_t>(kept));
    GrownTree::Place& place = tree.places[leaf.place];
    place.column = split.column;
    place.bin = split.bin;
    place.missing_left = split.missing_left;
    place.left = static_cast<std::int32_t>(tree.places.size());
    place.right = place.left + 1;
    Leaf right{place.right, leaf.depth + 1, kept, leaf.end, leaf.total - left_total};
    leaf = {place.left, leaf.depth + 1, leaf.begin, kept, left_total, leaf.histogram};
    tree.places.resize(tree.places.size() + 2);
    return right;
}

void TreeGrower::set_value(const Leaf& leaf, GrownTree& tree) const {
    const Sums sums = unpacked(leaf.total);
    const double value =
        -static_cast<double>(sums.first) * first_unit_ / (weight(sums) + options_.l2) * options_.rate;
    tree.places[leaf.place].value = static_cast<float>(value);
    tree.places[leaf.place].rows = static_cast<std::int64_t>(leaf.size());
}

GrownTree TreeGrower::grow(std::span<const std::uint32_t> rows, const QuantizedDerivatives& derivatives,
                           std::span<const Index> columns, const ExecutionControl& control) {
    packed_ = derivatives.packed;
    first_unit_ = derivatives.first_unit;
    second_unit_ = derivatives.second_unit;
    rows_.assign(rows.begin(), rows.end());
    free_histograms_.resize(histograms_.size());
    std::iota(free_histograms_.begin(), free_histograms_.end(), 0);
    GrownTree tree;
    tree.places.resize(1);
    Leaf root{0, 0, 0, rows.size(), 0, take_histogram()};
    for (const std::uint32_t row : rows)
        root.total += packed_[row];
    look_for_splits(root, nullptr, columns, control);
    leaves_ = {root};
    while (static_cast<int>(leaves_.size()) < options_.leaves) {
        const auto found =
            std::ranges::max_element(leaves_, {}, [](const Leaf& leaf) { return leaf.best.gain; });
        if (!(found->best.gain > 0)) break;
        const auto place = static_cast<std::size_t>(found - leaves_.begin());
        tree.places[found->place].rows = static_cast<std::int64_t>(found->size());
        leaves_.push_back(divide(*found, tree));
        Leaf &left = leaves_[place], &right = leaves_.back();
        const bool is_last = static_cast<int>(leaves_.size()) == options_.leaves;
        if (left.depth >= options_.depth || is_last) continue;
        right.histogram = take_histogram();
        if (left.size() < right.size()) std::swap(left.histogram, right.histogram);
        Leaf& smaller = left.size() < right.size() ? left : right;
        look_for_splits(smaller, &(left.size() < right.size() ? right : left), columns, control);
    }
    leaf_values_.clear();
    for (const Leaf& leaf : leaves_) {
        set_value(leaf, tree);
        leaf_values_.push_back(tree.places[leaf.place].value);
    }
    return tree;
}

void TreeGrower::add_to(std::span<double> scores) const {
    for (std::size_t k = 0; k < leaves_.size(); ++k) {
        for (std::size_t place = leaves_[k].begin; place < leaves_[k].end; ++place)
            scores[rows_[place]] += static_cast<double>(leaf_values_[k]);
    }
}

}  // namespace hwgcn
