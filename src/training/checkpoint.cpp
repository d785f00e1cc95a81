#include "training/checkpoint.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <deque>
#include <iterator>
#include <limits>
#include <map>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/fail.hpp"
#include "base/hash.hpp"
#include "io/numpy/npz_archive.hpp"
#include "tensor/transfer.hpp"

namespace hwgcn {
namespace {

using Shape = std::vector<std::int64_t>;

const std::string checksum_array = "sha256";
const std::string owner_array = "of";

void add_to_checksum(Sha256& hash, const NpyEntry& entry) {
    hash.text(entry.name).text(entry.dtype).array(entry.shape);
    hash.value(static_cast<std::uint64_t>(entry.bytes.size())).bytes(entry.bytes.data(), entry.bytes.size());
}

// Arrays on their way into a file.
class ArrayWriter {
  public:
    template <typename T>
    void add(std::string name, const std::vector<T>& values, Shape shape) {
        const auto bytes = std::as_bytes(std::span(values));
        const auto& kept = memory_.emplace_back(bytes.begin(), bytes.end());
        entries_.push_back({std::move(name), dtype_of<T>(), std::move(shape), kept});
    }

    // Without the padding.
    void add(std::string name, const DenseMatrix& matrix) {
        add(std::move(name), download(matrix), {matrix.rows(), matrix.columns()});
    }

    std::string write(const std::filesystem::path& file, const std::string& of) {
        if (!of.empty()) add_text(owner_array, of);
        Sha256 hash;
        for (const NpyEntry& entry : entries_)
            add_to_checksum(hash, entry);
        const std::string checksum = hash.hex();
        add_text(checksum_array, checksum);
        return write_npz_hashed(file, entries_);
    }

  private:
    // It has to live as long as the file is written.
    void add_text(const std::string& name, const std::string& text) {
        entries_.push_back({name, fmt::format("|S{}", text.size()), {}, std::as_bytes(std::span(text))});
    }

    std::deque<std::vector<std::byte>> memory_;
    std::vector<NpyEntry> entries_;
};

// The arrays of a file whose checksum is right.
class CheckedArrays {
  public:
    CheckedArrays(std::string file, const NpzArchive& archive) : file_(std::move(file)) {
        Sha256 hash;
        for (const std::string& name : archive.names()) {
            if (name == checksum_array) continue;
            const NumpyArray& array = arrays_[name] = archive.array(name);
            add_to_checksum(hash, {name, array.dtype, array.shape, std::as_bytes(std::span(array.bytes))});
        }
        const auto stored = to_strings(archive.array(checksum_array), archive.where(checksum_array));
        if (stored != std::vector{hash.hex()})
            fail_in_file(file_, "is damaged: its arrays do not have the SHA-256 that is stored with them");
    }

    const std::string& file() const { return file_; }

    void expect_owner(const std::string& of) {
        if (of.empty()) return;
        const auto found = arrays_.find(owner_array);
        if (found == arrays_.end())
            fail_in_file(file_, "does not say what it is of, as files of older versions do not");
        if (to_strings(found->second, file_) != std::vector{of})
            fail_in_file(file_, "is of another training, and was renamed");
        arrays_.erase(found);
    }

    void expect_count(std::size_t count) const {
        if (arrays_.size() == count) return;
        fail_in_file(file_, fmt::format("holds {} arrays, expected {}", arrays_.size(), count));
    }

    template <typename T>
    std::vector<T> values(const std::string& name, const Shape& shape) const {
        const auto found = arrays_.find(name);
        if (found == arrays_.end()) fail_in_file(file_, fmt::format("has no array '{}'", name));
        const std::string where = fmt::format("{}: array '{}'", file_, name);
        if (found->second.shape != shape) {
            fail_in_file(where, fmt::format("has the shape ({}), expected ({})",
                                            fmt::join(found->second.shape, ", "), fmt::join(shape, ", ")));
        }
        return to_vector<T>(found->second, where);
    }

    bool has(const std::string& name) const { return arrays_.contains(name); }

    DenseMatrix matrix(const std::string& name, const DenseMatrix& like) const {
        DenseMatrix result(like.rows(), like.columns());
        upload(values<float>(name, {like.rows(), like.columns()}), result);
        return result;
    }

    // With as many rows as there are.
    DenseMatrix grown(const std::string& name, Index columns) const {
        const auto found = arrays_.find(name);
        const bool has_rows = found != arrays_.end() && found->second.shape.size() == 2;
        const std::int64_t rows = has_rows ? found->second.shape[0] : 0;
        constexpr std::int64_t most = std::numeric_limits<Index>::max();
        if (rows > most) fail_in_file(file_, fmt::format("'{}' has {} rows, at most {}", name, rows, most));
        const auto numbers = values<float>(name, {rows, columns});
        DenseMatrix result(static_cast<Index>(rows), columns);
        upload(numbers, result);
        return result;
    }

    std::vector<TrainableMatrix> parameters(const std::string& prefix,
                                            std::span<const TrainableMatrix> shapes) const {
        std::vector<TrainableMatrix> result;
        for (const TrainableMatrix& shape : shapes) {
            const std::string name = prefix + shape.name;
            result.push_back({shape.name,
                              shape.grows ? grown(name, shape.value.columns()) : matrix(name, shape.value),
                              shape.decays, shape.grows});
        }
        return result;
    }

  private:
    std::string file_;
    std::map<std::string, NumpyArray> arrays_;
};

// The arrays of a state besides its matrices.
const std::string progress_array =
    "progress";  // seed, epoch, finished, best_epoch, epochs_without_better, alternative_epoch
const std::string best_array = "best";  // accuracy and loss
const std::string history_array =
    "history";  // one row per epoch: rate, loss, and validation loss and accuracy
const std::string criterion_array = "selection";  // of each epoch, where it is neither loss nor accuracy
const std::string average_array = "average";      // a teacher's
const std::string best_average_array = "best_average";
const std::string taught_array = "taught";  // a student's: one number per node
constexpr std::int64_t progress_numbers = 6;
constexpr std::int64_t history_columns = 4;

std::vector<double> history_numbers(const std::vector<EpochRecord>& history) {
    std::vector<double> numbers;
    for (const EpochRecord& record : history)
        numbers.insert(numbers.end(),
                       {record.rate, record.train_loss, record.validation_loss, record.validation_accuracy});
    return numbers;
}

std::vector<EpochRecord> history_from(const std::vector<double>& numbers) {
    std::vector<EpochRecord> history;
    for (std::size_t k = 0; k < numbers.size(); k += history_columns) {
        const int epoch = static_cast<int>(history.size()) + 1;
        EpochRecord& record = history.emplace_back();
        record.epoch = epoch;
        record.rate = numbers[k];
        record.train_loss = numbers[k + 1];
        record.validation_loss = numbers[k + 2];
        record.validation_accuracy = numbers[k + 3];
    }
    return history;
}

bool has_criterion(const FitState& state) {
    return std::isfinite(state.best_criterion);
}

std::vector<double> criterion_numbers(const std::vector<EpochRecord>& history) {
    std::vector<double> numbers;
    for (const EpochRecord& record : history)
        numbers.push_back(record.validation_selection);
    return numbers;
}

// Counts of a state; `most` bounds them, whatever the file says.
int count_from(const CheckedArrays& arrays, std::string_view name, std::int64_t number, std::int64_t most) {
    if (number < 0 || number > most)
        fail_in_file(arrays.file(), fmt::format("{} is {}, expected 0..{}", name, number, most));
    return static_cast<int>(number);
}

}  // namespace

std::string save_parameters(const std::filesystem::path& file, std::span<const TrainableMatrix> parameters,
                            const std::string& of) {
    ArrayWriter writer;
    for (const TrainableMatrix& parameter : parameters)
        writer.add(parameter.name, parameter.value);
    return writer.write(file, of);
}

std::vector<TrainableMatrix> parameters_from(const std::string& file, std::string_view bytes,
                                             std::span<const TrainableMatrix> shapes, const std::string& of,
                                             std::span<const TrainableMatrix> perhaps) {
    CheckedArrays arrays(file, read_npz_memory(bytes, file));
    arrays.expect_owner(of);
    std::vector<TrainableMatrix> parameters = arrays.parameters("", shapes);
    if (!perhaps.empty() && arrays.has(perhaps.front().name))
        std::ranges::move(arrays.parameters("", perhaps), std::back_inserter(parameters));
    arrays.expect_count(parameters.size());
    return parameters;
}

void save_state(const std::filesystem::path& file, const FitState& state, const std::string& of) {
    ArrayWriter writer;
    writer.add(progress_array,
               std::vector<std::int64_t>{std::bit_cast<std::int64_t>(state.seed), state.epoch,
                                         state.finished ? 1 : 0, state.best_epoch,
                                         state.epochs_without_better, state.alternative_epoch},
               {progress_numbers});
    writer.add(best_array, std::vector<double>{state.best_accuracy, state.best_loss}, {2});
    writer.add(history_array, history_numbers(state.history),
               {static_cast<std::int64_t>(state.history.size()), history_columns});
    if (has_criterion(state)) {
        writer.add(criterion_array, criterion_numbers(state.history),
                   {static_cast<std::int64_t>(state.history.size())});
    }
    for (std::size_t k = 0; k < state.current.size(); ++k) {
        const std::string& name = state.current[k].name;
        writer.add("current_" + name, state.current[k].value);
        writer.add("best_" + name, state.best[k].value);
        writer.add("other_" + name, state.alternative[k].value);
        writer.add("mean_" + name, state.mean[k]);
        writer.add("square_" + name, state.square[k]);
    }
    if (state.is_teacher()) {
        writer.add(average_array, state.average);
        writer.add(best_average_array, state.best_average);
    }
    if (!state.taught.empty()) {
        writer.add(taught_array, std::vector<std::int64_t>(state.taught.begin(), state.taught.end()),
                   {static_cast<std::int64_t>(state.taught.size())});
    }
    writer.write(file, of);
}

namespace {

// What a criterion of its own adds to a state, which has its history; returns the number of arrays.
std::size_t load_criterion(const CheckedArrays& arrays, FitState& state) {
    if (!arrays.has(criterion_array)) return 0;
    const std::vector<double> values = arrays.values<double>(criterion_array, {state.epoch});
    for (std::size_t k = 0; k < values.size(); ++k) {
        state.history[k].validation_selection = values[k];
        state.best_criterion = std::max(state.best_criterion, values[k]);
    }
    return 1;
}

// What self-training adds to a state; returns the number of arrays.
std::size_t load_self_training(const CheckedArrays& arrays, NodeClasses sizes, FitState& state) {
    if (arrays.has(average_array)) {
        const DenseMatrix like(sizes.nodes, sizes.classes);
        state.average = arrays.matrix(average_array, like);
        state.best_average = arrays.matrix(best_average_array, like);
        return 2;
    }
    if (!arrays.has(taught_array)) return 0;
    for (const std::int64_t label : arrays.values<std::int64_t>(taught_array, {sizes.nodes})) {
        if (label < unlabelled || label >= sizes.classes)
            fail_in_file(arrays.file(), fmt::format("{} has the class {}", taught_array, label));
        state.taught.push_back(static_cast<Index>(label));
    }
    return 1;
}

}  // namespace

FitState load_state(const std::filesystem::path& file, std::span<const TrainableMatrix> shapes,
                    NodeClasses sizes, const std::string& of) {
    CheckedArrays arrays(file.string(), read_npz(file));
    arrays.expect_owner(of);
    const auto progress = arrays.values<std::int64_t>(progress_array, {progress_numbers});
    const auto best = arrays.values<double>(best_array, {2});
    FitState state;
    state.seed = std::bit_cast<std::uint64_t>(progress[0]);
    state.epoch = count_from(arrays, "epoch", progress[1], std::numeric_limits<int>::max());
    state.finished = count_from(arrays, "finished", progress[2], 1) == 1;
    state.best_epoch = count_from(arrays, "best_epoch", progress[3], state.epoch);
    state.epochs_without_better = count_from(arrays, "epochs_without_better", progress[4], state.epoch);
    state.alternative_epoch = count_from(arrays, "other_epoch", progress[5], state.epoch);
    state.best_accuracy = best[0];
    state.best_loss = best[1];
    state.history = history_from(arrays.values<double>(history_array, {state.epoch, history_columns}));
    state.current = arrays.parameters("current_", shapes);
    state.best = arrays.parameters("best_", shapes);
    state.alternative = arrays.parameters("other_", shapes);
    for (const TrainableMatrix& shape : shapes) {
        state.mean.push_back(arrays.matrix("mean_" + shape.name, shape.value));
        state.square.push_back(arrays.matrix("square_" + shape.name, shape.value));
    }
    const std::size_t more = load_criterion(arrays, state) + load_self_training(arrays, sizes, state);
    arrays.expect_count(3 + 5 * shapes.size() + more);
    return state;
}

}  // namespace hwgcn
