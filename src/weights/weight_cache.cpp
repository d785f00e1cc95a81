#include <array>
#include <stdexcept>

#include <fmt/format.h>

#include "hwgcn/base/error.hpp"
#include "hwgcn/base/version.hpp"
#include "hwgcn/weights/learn_weights.hpp"

#include "base/fail.hpp"
#include "base/hash.hpp"
#include "io/numpy/npz_archive.hpp"
#include "weights/blocks/block_store.hpp"
#include "weights/summary_counts.hpp"

namespace hwgcn {
namespace {

// Part of every key, with the version of the library: an entry is what this very solver would have found.
constexpr std::string_view entry_format = "hwgcn weights 1";

std::array<double, 8> measures_of(const OrderSummary& s) {
    std::array<double, 8> measures{s.worst_gap, s.seconds};
    std::copy(s.statistics_percent.begin(), s.statistics_percent.end(), measures.begin() + 2);
    return measures;
}

OrderSummary summary_from(const std::vector<std::int64_t>& counts, const std::vector<double>& measures) {
    OrderSummary s = summary_of(counts);
    s.worst_gap = measures.at(0);
    s.seconds = measures.at(1);
    for (std::size_t k = 0; k < s.statistics_percent.size(); ++k)
        s.statistics_percent[k] = measures.at(2 + k);
    return s;
}

// Over the key as well: an entry that was renamed is as wrong as one that was changed.
std::string checksum(const std::string& key, const OrderWeights& weights) {
    Sha256 hash;
    hash.text(key).array(weights.matrix.offsets).array(weights.matrix.indices).array(weights.matrix.values);
    hash.array(weights.ring_sizes).array(counts_of(weights.summary)).array(measures_of(weights.summary));
    return hash.hex();
}

OrderWeights read_entry(const std::filesystem::path& file, const std::string& key, Index nodes) {
    const NpzArchive archive = read_npz(file);
    OrderWeights weights;
    weights.cached = true;
    weights.matrix = {nodes, nodes, archive.values<std::int64_t>("indptr"), archive.values<Index>("indices"),
                      archive.values<double>("data")};
    weights.ring_sizes = archive.values<Index>("ring_sizes");
    weights.summary =
        summary_from(archive.values<std::int64_t>("counts"), archive.values<double>("measures"));
    const std::vector<Index> stored = archive.values<Index>("checksum");
    if (checksum(key, weights) != std::string(stored.begin(), stored.end())) {
        fail_in_file(file.string(), "checksum does not match");
    }
    validate_csr(weights.matrix, file.string());
    return weights;
}

std::string entry_name(const std::string& key) {
    return fmt::format("weights-{}.npz", key.substr(0, 32));
}

}  // namespace

WeightCache::WeightCache(std::filesystem::path directory, std::filesystem::path saved)
    : directory_(std::move(directory)), saved_(std::move(saved)) {}

std::string WeightCache::content_hash(const Graph& graph, const CsrMatrix<float>& features) {
    Sha256 hash;
    hash.array(graph.offsets()).array(graph.all_neighbors());
    for (Index node = 0; node < graph.nodes(); ++node) {
        if (graph.has_self_loop(node)) hash.value(node);
    }
    if (graph.weighted()) {
        hash.text("weighted").array(graph.all_weights()).value(graph.weight_unit());
        for (Index node = 0; node < graph.nodes(); ++node) {
            if (graph.has_self_loop(node)) hash.value(graph.loop_weight(node));
        }
    }
    hash.value(features.columns).array(features.offsets).array(features.indices).array(features.values);
    return hash.hex();
}

std::string WeightCache::key(const std::string& content_hash, const WeightOptions& options, int order) {
    Sha256 hash;
    hash.text(entry_format).text(version()).text(content_hash).value(order).value(options.max_ring);
    hash.value(static_cast<int>(options.neighborhood)).value(static_cast<int>(options.weighting));
    if (options.weighting != Weighting::uniform) hash.value(options.tolerance);
    if (options.weighting == Weighting::lasso) hash.value(options.lambda);
    if (options.min_weight > 0) hash.text("min_weight").value(options.min_weight);
    if (options.sample_ring > 0) hash.text("sample_ring").value(options.sample_ring);
    return hash.hex();
}

std::filesystem::path WeightCache::entry_path(const std::string& key) const {
    return directory_ / entry_name(key);
}

std::optional<OrderWeights> WeightCache::find(const std::string& key, Index nodes,
                                              std::vector<std::string>& notes) const {
    for (const std::filesystem::path* const place : {&saved_, &directory_}) {
        if (place->empty()) continue;
        if (std::optional<OrderWeights> found = find_in(*place, key, nodes, notes)) return found;
    }
    return std::nullopt;
}

std::optional<OrderWeights> WeightCache::find_in(const std::filesystem::path& directory,
                                                 const std::string& key, Index nodes,
                                                 std::vector<std::string>& notes) const {
    const std::filesystem::path file = directory / entry_name(key);
    std::error_code error;
    try {
        if (std::filesystem::exists(file, error)) return read_entry(file, key, nodes);
        return read_blocks(directory, key, nodes);
    } catch (const InputError& failure) {
        notes.push_back(fmt::format("damaged cache entry, learning it again: {}", failure.what()));
    } catch (const std::out_of_range&) {  // too few numbers in an array
        notes.push_back(fmt::format("damaged cache entry, learning it again: {}", file.string()));
    } catch (const ExecutionError& failure) {
        notes.push_back(fmt::format("cache entry cannot be read, learning it again: {}", failure.what()));
    }
    return std::nullopt;
}

bool WeightCache::store(const std::string& key, const OrderWeights& weights,
                        std::vector<std::string>& notes) const {
    if (!is_written()) return false;
    const CsrMatrix<double>& matrix = weights.matrix;
    const std::string text = checksum(key, weights);
    const std::vector<std::uint8_t> checksum_bytes(text.begin(), text.end());
    const auto counts = counts_of(weights.summary);
    const auto measures = measures_of(weights.summary);
    const std::array<std::int64_t, 2> shape{matrix.rows, matrix.columns};
    const std::vector<NpyEntry> entries{
        npy_entry("indptr", matrix.offsets),
        npy_entry("indices", matrix.indices),
        npy_entry("data", matrix.values),
        npy_entry("shape", std::span<const std::int64_t>(shape)),
        npy_entry("ring_sizes", weights.ring_sizes),
        npy_entry("counts", std::span<const std::int64_t>(counts)),
        npy_entry("measures", std::span<const double>(measures)),
        npy_entry("checksum", checksum_bytes),
    };
    try {
        write_npz(entry_path(key), entries);
        return true;
    } catch (const Error& failure) {
        notes.push_back(fmt::format("the weights could not be cached: {}", failure.what()));
    }
    return false;
}

}  // namespace hwgcn
