// Readers end soon after somebody asks for it, whatever they are in the middle of.
#include <atomic>

#include <gtest/gtest.h>

#include "hwgcn/base/error.hpp"
#include "hwgcn/io/readers.hpp"
#include "hwgcn/io/writers.hpp"

#include "base/files/atomic_file.hpp"
#include "base/text_file.hpp"
#include "io/gzip_for_tests.hpp"
#include "test_data.hpp"

namespace hwgcn::stopping_test {
namespace {

const std::atomic<bool> stop{true};
const ExecutionControl stopped{1, nullptr, &stop};

TEST(Stopping, EveryReaderThrowsInterrupted) {
    const testing::TemporaryDirectory folder;
    const Dataset karate = load_dataset("karate", {});
    write_csv_dataset(folder / "csv", karate);
    write_matrix_market_dataset(folder / "mtx", karate);
    write_npz_dataset(folder / "karate.npz", karate);
    for (const char* const name : {"csv", "mtx", "karate.npz"}) {
        EXPECT_EQ(load_dataset(folder / name, {}).nodes, karate.nodes) << name;
        EXPECT_THROW(load_dataset(folder / name, {}, stopped), Interrupted) << name;
    }
    CsvFiles files;
    files.edges = folder / "csv/edges.csv";
    EXPECT_THROW(read_csv_dataset(files, stopped), Interrupted);
}

TEST(Stopping, UnpackingEndsToo) {
    EXPECT_THROW(decode_text("t.gz", testing::gzip("a,b\n"), largest_text, stopped), Interrupted);
}

}  // namespace
}  // namespace hwgcn::stopping_test
