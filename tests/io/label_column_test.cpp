#include "io/csv/label_column.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "dataset/table_column.hpp"
#include "dataset/target.hpp"
#include "io/csv/csv_reader.hpp"
#include "io/expect_input_error.hpp"

namespace hwgcn::label_column_test {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::ElementsAre;
using testing::expect_input_error;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using Names = std::vector<std::string>;

// Nodes n0, n1, .. with these labels.
Dataset read(const Names& labels, const std::string& separator = "", const std::string& bins = "") {
    CsvFiles files;
    files.edges = "edges.csv";
    files.nodes = "nodes.csv";
    files.label_separator = separator;
    files.bins = bins;
    std::string nodes = "id,label\n";
    for (std::size_t node = 0; node < labels.size(); ++node)
        nodes += fmt::format("n{},\"{}\"\n", node, labels[node]);
    return parse_csv_dataset(files, "n0,n0\n", nodes);
}

TEST(LabelColumn, NumbersArePutIntoRangesOnRequest) {
    const Dataset dataset = read({"10", "20", "", "30.5", "NA", "-1"}, "", "2");
    EXPECT_EQ(dataset.class_names, (Names{"-1..10", "20..30.5"}));
    EXPECT_EQ(dataset.labels, (std::vector<Index>{0, 1, unlabelled, 1, unlabelled, 0}));
    EXPECT_THAT(dataset.notes,
                ElementsAre("nodes.csv: the labels were put into 2 ranges of numbers: -1..10, 20..30.5",
                            HasSubstr("labels 'NA' and the like count as not known (1 in all)")));
    EXPECT_EQ(describe(dataset.columns[1]), "the labels: 2 ranges of numbers");
    EXPECT_THAT(read({"1", "1", "1", "2"}, "", "3").notes,
                ElementsAre(AllOf(HasSubstr("into 2 ranges"), HasSubstr("fewer than `bins=3`"))));
}

TEST(LabelColumn, RangesNeedNumbers) {
    for (const char* const bad : {"many", "inf", "1e999", "1,5", "0x10"}) {
        expect_input_error(
            [&] {
                read({"1", "2", bad}, "", "2");
            },
            {"nodes.csv:4:", fmt::format("'{}' is not a finite number", bad), "`bins`"});
    }
    expect_input_error([] { read({"1"}, "", "1"); }, {"`bins`: expected a whole number in 2..1000, got '1'"});
    expect_input_error([] { read({"1"}, ";", "2"); }, {"`bins`", "`label_separator`", "give one of them"});
}

TEST(LabelColumn, RangesAndPartsNeedALabelColumn) {
    CsvFiles files;
    files.edges = "edges.csv";
    files.nodes = "nodes.csv";
    files.bins = "3";
    expect_input_error([&] { parse_csv_dataset(files, "a,a\n", "id,price\na,1\n"); },
                       {"nodes.csv:1:", "`bins` has nothing to work on", "`label`"});
    files.label_column = "price";
    EXPECT_EQ(parse_csv_dataset(files, "a,a\n", "id,price\na,1\n").class_names, Names{"1"});
}

TEST(LabelColumn, LabelsWithSeveralPartsAreMentioned) {
    const Names labels = {"drama;comedy", "drama", "comedy", "drama;comedy", "comedy; drama", "", "NA"};
    const Dataset dataset = read(labels);
    EXPECT_EQ(dataset.class_names.size(), 4U);
    EXPECT_THAT(dataset.notes,
                Contains("nodes.csv: 3 of 5 labels have several parts, such as 'drama;comedy': each "
                         "different text is a class of its own, 4 in all; `label_separator=';'` takes "
                         "the first part as the class"));
    EXPECT_THAT(read({"a|b", "b|c", "a", "c"}).notes, ElementsAre(HasSubstr("`label_separator='|'`")));
    EXPECT_THAT(read({"a,b", "b,c", "a", "c"}).notes, ElementsAre(HasSubstr("`label_separator=','`")));
}

TEST(LabelColumn, OneNameWithASeparatorIsNoListOfLabels) {
    EXPECT_THAT(read({"Bonn, Rhine", "Graz, Mur", "Lyon"}).notes, IsEmpty());  // no part is met again
    EXPECT_THAT(read({"3,5", "3,7", "4,5", "4,7"}).notes, IsEmpty());          // decimal commas
    EXPECT_THAT(read({";", ";;", ";a", "b"}).notes, IsEmpty());                // one part
    Names labels(40, "red");
    labels.insert(labels.end(), {"blue", "red;blue", "red;blue"});
    EXPECT_THAT(read(labels).notes, IsEmpty()) << "two of 43";
}

TEST(LabelColumn, TheFirstPartIsTheClassOnRequest) {
    const Dataset dataset = read({"a;b", " b ; a", ";a", "b", ";", ""}, ";");
    EXPECT_EQ(dataset.class_names, (Names{"a", "b"}));
    EXPECT_EQ(dataset.labels, (std::vector<Index>{0, 1, 0, 1, unlabelled, unlabelled}));
    EXPECT_THAT(
        dataset.notes,
        ElementsAre(
            "nodes.csv: 4 labels have several parts, of which the first is the class ('a' of 'a;b')"));
    EXPECT_EQ(read({"a::b", "a:b"}, "::").class_names, (Names{"a", "a:b"}));
    EXPECT_THAT(read({"a", "b"}, ";").notes, ElementsAre(HasSubstr("no label has ';'")));
}

TEST(LabelColumn, AgesAndYearsAreMentionedAndClassNumbersAreNot) {
    const auto from = [](int least) {
        Names labels;
        for (int i = 0; i < 60; ++i)
            labels.push_back(fmt::to_string(least + i % 30));
        return read(labels).notes;
    };
    EXPECT_THAT(from(18), ElementsAre(AllOf(HasSubstr("the 30 classes are the whole numbers from 18 to 47"),
                                            HasSubstr("`bins=5`"))));
    EXPECT_THAT(from(0), IsEmpty());
    EXPECT_THAT(from(1), IsEmpty());
    EXPECT_THAT(read({"18", "19", "20"}).notes, IsEmpty());
}

TEST(LabelColumn, MeasuredLabelsAreRefusedWithTheOptionThatHelps) {
    Names labels;
    for (int i = 0; i < 1500; ++i)
        labels.push_back(fmt::to_string(100 + 7 * (i % 205)));
    expect_input_error([&] { check_target(read(labels), {}); },
                       {"look like measured numbers", "205 different ones for 1500 nodes", "`bins=5`"});
    EXPECT_EQ(objection_to_target(read(labels, "", "5"), {}), "");
}

}  // namespace
}  // namespace hwgcn::label_column_test
