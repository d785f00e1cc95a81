#include "training/checkpoint.hpp"

#include <algorithm>
#include <cstring>
#include <functional>
#include <map>

#include <gtest/gtest.h>

#include "base/files/input_file.hpp"
#include "base/hash.hpp"
#include "io/expect_input_error.hpp"
#include "io/numpy/npz_archive.hpp"
#include "test_data.hpp"
#include "training/fit_options.hpp"
#include "training/small_problem.hpp"

namespace hwgcn::checkpoint_test {
namespace {

using testing::expect_input_error;
using testing::same_bits;
using testing::SmallProblem;
using testing::TemporaryDirectory;

// Few numbers: every byte of a file can be tried.
SmallProblem tiny_problem() {
    SyntheticOptions synthetic = SmallProblem::few_nodes();
    synthetic.vocabulary = 6;
    synthetic.words = 2;
    SmallProblem problem(synthetic);
    problem.method.apply({{"hidden", "2"}});
    problem.options.epochs = 3;
    return problem;
}

// The arrays of a file, to be changed and written again with a checksum that is right.
using Arrays = std::map<std::string, NumpyArray>;

Arrays arrays_of(const std::filesystem::path& file) {
    const NpzArchive archive = read_npz(file);
    Arrays arrays;
    for (const std::string& name : archive.names())
        arrays[name] = archive.array(name);
    return arrays;
}

NpyEntry entry_of(const std::string& name, const NumpyArray& array) {
    return {name, array.dtype, array.shape, std::as_bytes(std::span(array.bytes))};
}

void write_arrays(const std::filesystem::path& file, const Arrays& arrays) {
    std::vector<NpyEntry> entries;
    for (const auto& [name, array] : arrays)
        entries.push_back(entry_of(name, array));
    write_npz(file, entries);
}

// As the header of checkpoint.hpp tells it: name, type, shape and bytes of each, in the order of the file.
void sign(Arrays& arrays) {
    Sha256 hash;
    for (const auto& [name, array] : arrays) {
        if (name == "sha256") continue;
        hash.text(name).text(array.dtype).array(array.shape).text(array.bytes);
    }
    arrays["sha256"].bytes = hash.hex();
}

template <typename T>
void put(NumpyArray& array, std::size_t place, T number) {
    std::memcpy(array.bytes.data() + place * sizeof(T), &number, sizeof(T));
}

class CheckpointTest : public ::testing::Test {
  protected:
    CheckpointTest() : state(problem.fit()), file(folder / "checkpoint.npz") { save_state(file, state); }

    FitState load() const { return load_state(file, state.current); }

    // A file with a right checksum, but not what a state could be.
    void expect_refused(const std::function<void(Arrays&)>& change,
                        std::initializer_list<std::string_view> parts) const {
        save_state(file, state);
        Arrays arrays = arrays_of(file);
        change(arrays);
        sign(arrays);
        write_arrays(file, arrays);
        expect_input_error([&] { load(); }, parts);
    }

    const SmallProblem problem = tiny_problem();
    const FitState state;
    const TemporaryDirectory folder;
    const std::filesystem::path file;
};

TEST_F(CheckpointTest, KeepsEveryBitOfAState) {
    EXPECT_TRUE(same_bits(load(), state));
    FitState other = problem.start();  // infinite loss, no history
    other.seed = ~std::uint64_t{0};
    save_state(file, other);
    EXPECT_TRUE(same_bits(load(), other));
    SmallProblem unjudged = tiny_problem();
    unjudged.split.validation.clear();  // NaN in the history
    const FitState last = unjudged.fit();
    save_state(file, last);
    EXPECT_TRUE(same_bits(load(), last));
}

TEST_F(CheckpointTest, KeepsEveryBitOfTheParameters) {
    save_parameters(file, state.best);
    EXPECT_TRUE(
        same_bits(parameters_from(file.string(), read_file(file), problem.start().current), state.best));
}

TEST_F(CheckpointTest, TheSameStateGivesTheSameBytes) {
    save_state(folder / "again.npz", state);
    EXPECT_EQ(read_file(file), read_file(folder / "again.npz"));
}

TEST_F(CheckpointTest, IsReadOnlyAsWhatItIsOf) {
    save_state(file, state, "mine");
    EXPECT_TRUE(same_bits(load_state(file, state.current, {}, "mine"), state));
    expect_input_error([&] { load_state(file, state.current, {}, "yours"); },
                       {"checkpoint.npz", "is of another"});
    expect_input_error([&] { load(); }, {"checkpoint.npz", "arrays, expected"});
    save_state(file, state);
    expect_input_error([&] { load_state(file, state.current, {}, "mine"); },
                       {"checkpoint.npz", "does not say what it is of"});
    save_parameters(file, state.best, "mine");
    EXPECT_TRUE(same_bits(parameters_from(file.string(), read_file(file), state.best, "mine"), state.best));
    expect_input_error([&] { parameters_from(file.string(), read_file(file), state.best, "yours"); },
                       {"checkpoint.npz", "is of another"});
}

TEST_F(CheckpointTest, HoldsPlainArraysUnderTheNamesOfTheParameters) {
    save_parameters(file, state.best);
    const NpzArchive archive = read_npz(file);
    EXPECT_EQ(archive.names(), std::vector<std::string>({"theta1", "theta2", "sha256"}));
    EXPECT_EQ(archive.array("theta1").dtype, "<f4");
    EXPECT_EQ(archive.array("theta1").shape, std::vector<std::int64_t>({6, 2}));
    EXPECT_EQ(archive.values<float>("theta1")[2], state.best[0].value.at(1, 0));
}

// A byte that carries content is missed, one in a date of the zip archive does no harm.
TEST_F(CheckpointTest, NoChangedByteGoesUnnoticedUnlessItChangesNothing) {
    const std::string intact = read_file(file);
    int noticed = 0;
    for (std::size_t place = 0; place < intact.size(); ++place) {
        std::string changed = intact;
        changed[place] = static_cast<char>(changed[place] ^ (1 << place % 8));
        testing::write_plainly(file, changed);
        try {
            EXPECT_TRUE(same_bits(load(), state)) << "byte " << place;
        } catch (const InputError&) {
            ++noticed;
        }
    }
    EXPECT_GT(noticed, static_cast<int>(intact.size()) / 2);
}

TEST_F(CheckpointTest, EveryChangedByteOfANumberIsNoticed) {
    const std::string intact = read_file(file);
    const std::string numbers = arrays_of(file).at("current_theta1").bytes;
    const std::size_t begin = intact.find(numbers);
    ASSERT_NE(begin, std::string::npos);
    for (std::size_t place = begin; place < begin + numbers.size(); ++place) {
        std::string changed = intact;
        changed[place] = static_cast<char>(changed[place] ^ 1);
        testing::write_plainly(file, changed);
        expect_input_error([&] { load(); }, {"checkpoint.npz", "array 'current_theta1'", "CRC"});
    }
}

TEST_F(CheckpointTest, ChangedContentIsNoticedEvenWhereTheArchiveIsSound) {
    const std::vector<std::function<void(Arrays&)>> changes = {
        [](Arrays& arrays) { put(arrays["best_theta2"], 0, 0.25F); },
        [](Arrays& arrays) { std::swap(arrays["mean_theta1"], arrays["square_theta1"]); },
        [](Arrays& arrays) { put(arrays["progress"], 1, std::int64_t{2}); },
        [](Arrays& arrays) { arrays.erase("history"); },
        [](Arrays& arrays) { arrays["more"] = arrays["best"]; },
        [](Arrays& arrays) { arrays["sha256"].bytes[0] ^= 1; },
    };
    const Arrays intact = arrays_of(file);
    for (std::size_t k = 0; k < changes.size(); ++k) {
        Arrays arrays = intact;
        changes[k](arrays);
        write_arrays(file, arrays);
        expect_input_error([&] { load(); }, {"checkpoint.npz: is damaged", "SHA-256"});
    }
}

TEST_F(CheckpointTest, TruncatedFilesAreRefused) {
    const std::string intact = read_file(file);
    for (std::size_t size = 0; size < intact.size(); size += 1 + intact.size() / 50) {
        testing::write_plainly(file, intact.substr(0, size));
        expect_input_error([&] { load(); }, {"checkpoint.npz"});
    }
}

TEST_F(CheckpointTest, OtherFilesAreRefused) {
    expect_input_error([&] { load_state(folder / "missing.npz", state.current); },
                       {"missing.npz", "No such file"});
    testing::write_plainly(file, "epoch 7");
    expect_input_error([&] { load(); }, {"cannot be read as a .npz"});
    write_arrays(file, {{"theta1", {"<f4", {1}, false, std::string(4, '\0')}}});
    expect_input_error([&] { load(); }, {"has no array 'sha256'"});
    save_parameters(file, state.best);
    expect_input_error([&] { load(); }, {"has no array 'progress'"});
}

TEST_F(CheckpointTest, AnotherNetworkIsRefused) {
    SmallProblem other = tiny_problem();
    other.method.apply({{"hidden", "3"}});
    const auto wider = other.start().current;
    expect_input_error([&] { load_state(file, wider); },
                       {"array 'current_theta1': has the shape (6, 2), expected (6, 3)"});
    other.method.apply({{"layers", "3"}, {"hidden", "2"}});
    const auto deeper = other.start().current;
    save_parameters(file, state.best);
    expect_input_error([&] { parameters_from(file.string(), read_file(file), deeper); },
                       {"array 'theta2': has the shape"});
    const std::vector<TrainableMatrix> shorter(state.best.begin(), state.best.begin() + 1);
    expect_input_error([&] { parameters_from(file.string(), read_file(file), shorter); },
                       {"holds 2 arrays, expected 1"});
    save_parameters(file, shorter);
    expect_input_error([&] { parameters_from(file.string(), read_file(file), state.best); },
                       {"has no array 'theta2'"});
}

TEST_F(CheckpointTest, AMatrixThatGrowsHasAnyNumberOfRowsButNotOfColumns) {
    const auto read_as = [&](Index columns) {
        const std::vector<TrainableMatrix> shapes = {{"trees", DenseMatrix(0, columns), false, true}};
        return parameters_from(file.string(), read_file(file), shapes);
    };
    for (const Index rows : {0, 1, 7}) {
        DenseMatrix matrix(rows, 4);
        for (Index i = 0; i < rows; ++i)
            matrix.at(i, 3) = static_cast<float>(i);
        save_parameters(file, std::vector<TrainableMatrix>{{"trees", matrix, false, true}});
        const std::vector<TrainableMatrix> found = read_as(4);
        EXPECT_TRUE(found[0].grows);
        EXPECT_EQ(found[0].value.rows(), rows);
        EXPECT_TRUE(std::ranges::equal(found[0].value.numbers(), matrix.numbers()));
        expect_input_error([&] { read_as(3); }, {"array 'trees': has the shape", "expected ("});
    }
    Arrays arrays = arrays_of(file);
    arrays["trees"].shape = {28};
    sign(arrays);
    write_arrays(file, arrays);
    expect_input_error([&] { read_as(4); }, {"array 'trees': has the shape (28), expected (0, 4)"});
}

TEST_F(CheckpointTest, NumbersThatNoStateHasAreRefused) {
    const auto progress = [](std::size_t place, std::int64_t number) {
        return [=](Arrays& arrays) { put(arrays["progress"], place, number); };
    };
    expect_refused(progress(1, -1), {"epoch is -1, expected 0.."});
    expect_refused(progress(1, std::int64_t{1} << 40), {"epoch is 1099511627776"});
    expect_refused(progress(2, 2), {"finished is 2, expected 0..1"});
    expect_refused(progress(3, 4), {"best_epoch is 4, expected 0..3"});
    expect_refused(progress(4, -7), {"epochs_without_better is -7"});
    expect_refused(progress(1, 1'000'000'000),
                   {"array 'history': has the shape (3, 4), expected (1000000000, 4)"});
    expect_refused([](Arrays& arrays) { arrays["best"].dtype = "|S8"; }, {"array 'best'", "'|S8'"});
    expect_refused([](Arrays& arrays) { arrays["sha256"].shape = {2}; }, {"sha256"});
}

}  // namespace
}  // namespace hwgcn::checkpoint_test
