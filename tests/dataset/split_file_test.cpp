// Splits in files: written, read and refused.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "hwgcn/dataset/split.hpp"
#include "hwgcn/dataset/synthetic.hpp"

#include "base/files/atomic_file.hpp"
#include "base/files/input_file.hpp"
#include "dataset/small_splits.hpp"
#include "test_data.hpp"

namespace hwgcn::split_file_test {
namespace {

using testing::input_error;
using testing::same_nodes;
using testing::six_nodes;
using testing::TemporaryDirectory;

std::string error_of_file(const std::string& content, const Dataset& dataset = six_nodes()) {
    const TemporaryDirectory directory;
    write_text_atomically(directory / "split.json", content);
    const std::string message = input_error([&] { read_split(directory / "split.json", dataset); });
    EXPECT_TRUE(message.starts_with((directory / "split.json").string() + ": ")) << message;
    return message;
}

#define EXPECT_FILE_REFUSED(content, part) \
    EXPECT_PRED_FORMAT2(::testing::IsSubstring, part, error_of_file(content))

TEST(SplitFile, GivesBackWhatWasWritten) {
    const TemporaryDirectory directory;
    const Dataset karate = make_karate();          // with ids
    const Dataset synthetic = make_synthetic({});  // numbered
    for (const Dataset* dataset : {&karate, &synthetic}) {
        const Split written = random_split(*dataset, {3, 4, 5, 6});
        write_split(directory / "split.json", written, *dataset);
        const Split read = read_split(directory / "split.json", *dataset);
        EXPECT_TRUE(same_nodes(read, written));
        EXPECT_EQ(read.name, (directory / "split.json").string());
        EXPECT_EQ(split_hash(read, *dataset), split_hash(written, *dataset));
    }
}

TEST(SplitFile, MayBeWrittenByHandWithNumbersOrStrings) {
    const TemporaryDirectory directory;
    write_text_atomically(directory / "s.json",
                          R"({"train":[1,"34"],"validation":[2],"test":[],"comment":null})");
    const Split split = read_split(directory / "s.json", make_karate());
    EXPECT_TRUE(same_nodes(split, {"", {0, 33}, {1}, {}}));
}

TEST(SplitFile, IsRefusedWhereItIsNotJson) {
    EXPECT_FILE_REFUSED("", "byte 0: not valid JSON: ");
    EXPECT_FILE_REFUSED(R"({"train": [n1]})", "byte 12: not valid JSON: ");
    EXPECT_FILE_REFUSED(R"({"train": ["n1"], )", "not valid JSON: ");
    EXPECT_FILE_REFUSED("{\"train\": [\"\xff\"]}", "not valid JSON: ");
    EXPECT_FILE_REFUSED(R"({"train": [1e999]})", "not valid JSON: ");
    EXPECT_FILE_REFUSED(std::string(4, '\0'), "not valid JSON: ");
    EXPECT_FILE_REFUSED(std::string(300000, '['), "is nested deeper than the 64 levels that are accepted");
}

TEST(SplitFile, IsRefusedWhereItHasAnotherForm) {
    EXPECT_FILE_REFUSED("[]", "expected an object with train, validation and test, found array");
    EXPECT_FILE_REFUSED(R"({"train":[],"test":[]})", "the key \"validation\" is missing");
    EXPECT_FILE_REFUSED(R"({"train":"n1"})", "train: expected a list of node ids, found string");
    EXPECT_FILE_REFUSED(R"({"train":["n0",1.5]})",
                        "train: entry 1: expected a node id (a string or a whole number), "
                        "found 1.5");
    EXPECT_FILE_REFUSED(R"({"train":[null]})", "found null");
    EXPECT_FILE_REFUSED(R"({"train":[18446744073709551616]})", "expected a node id");
    EXPECT_FILE_REFUSED(R"({"train":["n0"],"train":[],"validation":[],"test":[]})",
                        "the key \"train\" is given twice");
    const std::string nested = std::string(20, '[') + std::string(20, ']');
    EXPECT_FILE_REFUSED(R"({"train":[)" + nested + "]}", "found array");
    EXPECT_FILE_REFUSED(R"({"train":[],"validation":[],"test":[],"sha256":5})",
                        "sha256: expected a string, found number");
}

TEST(SplitFile, IsRefusedWhereItsNodesDoNotFit) {
    EXPECT_FILE_REFUSED(R"({"train":["n0","m1"]})",
                        "train: entry 1: unknown node id 'm1', did you mean 'n1'?");
    EXPECT_FILE_REFUSED(R"({"train":[],"validation":["n0","n0"],"test":[]})",
                        "validation: node 'n0' is listed twice");
    EXPECT_FILE_REFUSED(R"({"train":["n1"],"validation":[],"test":["n1"]})",
                        "node 'n1' is listed in both train and test");
    EXPECT_FILE_REFUSED(R"({"train":["n5"],"validation":[],"test":[]})", "train: node 'n5' has no label");
    Dataset numbered = six_nodes();
    numbered.node_ids.clear();
    for (const char* id : {"6", "-1", "99999999999", R"("01")", R"("+1")", R"("1 ")", R"("")"}) {
        EXPECT_PRED_FORMAT2(::testing::IsSubstring, ", expected 0..5",
                            error_of_file(fmt::format(R"({{"train":[{}]}})", id), numbered));
    }
}

TEST(SplitFile, IsRefusedWhereItsHashDoesNotMatch) {
    const TemporaryDirectory directory;
    const Dataset dataset = six_nodes();
    write_split(directory / "split.json", {"s", {0, 1}, {2}, {3}}, dataset);
    std::string text = read_file(directory / "split.json");
    text.replace(text.find("n2"), 2, "n4");
    EXPECT_FILE_REFUSED(text, "the lists were changed after the split was written: their SHA-256 is ");
}

TEST(SplitFile, IsNotReadFromAFolderOrFromNowhere) {
    const TemporaryDirectory directory;
    EXPECT_REFUSED(read_split(directory.path(), six_nodes()), "is a folder");
    EXPECT_REFUSED(read_split(directory / "missing.json", six_nodes()), "cannot open: No such file");
}

TEST(SplitFile, BlamesNodeIdsOnlyForWhatTheyAre) {
    const TemporaryDirectory directory;
    Dataset dataset = six_nodes();
    EXPECT_REFUSED(write_split(directory / "split.json", {"mine\xff.json", {0}, {}, {}}, dataset),
                   "the name of the split 'mine\\xff.json' is not valid UTF-8");
    dataset.node_ids[5] = "\xe9t\xe9";
    write_split(directory / "split.json", {"s", {0}, {}, {}}, dataset);  // it does not name that node
    dataset.name = "caf\xe9";
    EXPECT_REFUSED(write_split(directory / "split.json", {"s", {0}, {}, {}}, dataset),
                   "the name of the dataset 'caf\\xe9' is not valid UTF-8");
}

TEST(SplitFile, IsNotWrittenWithIdsThatJsonCannotHold) {
    const TemporaryDirectory directory;
    Dataset dataset = six_nodes();
    dataset.node_ids[0] = "\xe9t\xe9";
    EXPECT_REFUSED(write_split(directory / "split.json", {"s", {0}, {}, {}}, dataset),
                   "split.json: cannot be written: the node id '\\xe9t\\xe9' is not valid UTF-8");
    EXPECT_TRUE(std::filesystem::is_empty(directory.path()));
}

}  // namespace
}  // namespace hwgcn::split_file_test
