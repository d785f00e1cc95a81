#include "io/formats.hpp"

#include <set>

#include <gtest/gtest.h>

#include "hwgcn/dataset/synthetic.hpp"
#include "hwgcn/graph/graph.hpp"

#include "test_data.hpp"

namespace hwgcn::formats_test {
namespace {

using testing::TemporaryDirectory;
namespace fs = std::filesystem;

// Where a dataset is written: "x.npz", or the folder "x".
fs::path target_in(const fs::path& directory, const Format& format) {
    return directory / (format.written.empty() ? "x" + format.endings.front() : "x");
}

// The names of all formats that recognise a path.
std::vector<std::string> recognised_as(const fs::path& path) {
    std::vector<std::string> names;
    for (const Format& format : formats()) {
        if (format.recognise(path)) names.push_back(format.name);
    }
    return names;
}

TEST(Formats, HaveDifferentNamesAndCanBeReadAndTold) {
    std::set<std::string> names;
    for (const Format& format : formats()) {
        EXPECT_TRUE(names.insert(format.name).second) << format.name;
        EXPECT_TRUE(format.recognise != nullptr && format.files != nullptr && format.read != nullptr)
            << format.name;
        EXPECT_FALSE(format.endings.empty() && format.prefix.empty() && format.folder.empty()) << format.name;
    }
}

TEST(Formats, WhatIsWrittenIsRecognisedAsNothingElseAndReadBack) {
    const Dataset karate = make_karate();
    int written = 0;
    for (const Format& format : formats()) {
        if (format.write == nullptr) continue;
        ++written;
        const TemporaryDirectory directory;
        const fs::path target = target_in(directory.path(), format);
        format.write(target, karate);
        EXPECT_EQ(recognised_as(target), std::vector<std::string>{format.name});
        const std::optional<DatasetLocation> found = format.recognise(target);
        ASSERT_TRUE(found) << format.name;
        EXPECT_EQ(found->name, "x");
        const Dataset read = format.read(found->path, {}, {});
        EXPECT_EQ(read.nodes, karate.nodes) << format.name;
        EXPECT_EQ(Graph(read.nodes, read.edges).edges(), Graph(karate.nodes, karate.edges).edges())
            << format.name;
        EXPECT_EQ(read.labels, karate.labels) << format.name;
    }
    EXPECT_EQ(written, 3);
}

TEST(Formats, NameTheFilesThatAreWritten) {
    for (const Format& format : formats()) {
        if (format.write == nullptr) continue;
        const TemporaryDirectory directory;
        const fs::path target = target_in(directory.path(), format);
        format.write(target, make_karate());
        std::set<fs::path> expected;
        for (const std::string& name : format.written)
            expected.insert(target / name);
        if (format.written.empty()) expected.insert(target);
        std::set<fs::path> files;
        for (const fs::path& file : format.files(target)) {
            if (!file.empty()) files.insert(file);
        }
        EXPECT_EQ(files, expected) << format.name;
    }
}

TEST(Formats, DoNotTakeAFolderForAFile) {
    const TemporaryDirectory directory;
    for (const char* name : {"a.npz", "a.mtx", "a.mtx.gz", "ind.a", "ind.a.graph"}) {
        fs::create_directory(directory.path() / name);
        EXPECT_EQ(recognised_as(directory.path() / name), std::vector<std::string>()) << name;
    }
}

}  // namespace
}  // namespace hwgcn::formats_test
