// Node tables as people have them: words, numbers of any size, gaps; and features in long form.
#include "io/csv/feature_columns.hpp"

#include <cmath>
#include <functional>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "dataset/table_column.hpp"
#include "io/csv/csv_reader.hpp"
#include "io/expect_input_error.hpp"

namespace hwgcn::feature_columns_test {
namespace {

using ::testing::ElementsAre;
using testing::expect_input_error;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

CsvFiles both_files() {
    CsvFiles files;
    files.edges = "edges.csv";
    files.nodes = "nodes.csv";
    return files;
}

Dataset read(std::string_view nodes, const CsvFiles& files = both_files(), std::string_view features = {}) {
    return parse_csv_dataset(files, "a,b\nb,c\n", nodes, features);
}

// A row of the features, zeros included.
std::vector<float> row(const Dataset& dataset, Index i) {
    std::vector<float> values(static_cast<std::size_t>(dataset.features.columns), 0.0F);
    for (std::size_t e = 0; e < dataset.features.row(i).size(); ++e)
        values[dataset.features.row(i).indices[e]] = dataset.features.row(i).values[e];
    return values;
}

// Anything that grows with the square of the columns would take minutes here.
TEST(FeatureColumns, AWideTableIsReadColumnByColumn) {
    constexpr int width = 200'000;
    std::string header = "id", cells;
    CsvFiles files = both_files();
    for (int column = 0; column < width; ++column) {
        header += fmt::format(",f{}", column);
        cells += column % 1000 == 0 ? ",1" : ",0";
        if (column % 10 == 3) files.ignored_columns += fmt::format("{}f{}", column == 3 ? "" : ",", column);
    }
    const Dataset dataset = read(header + "\na" + cells + "\nb" + cells + "\nc" + cells + "\n", files);
    EXPECT_EQ(dataset.features.columns, width - width / 10);
    EXPECT_EQ(dataset.features.entries(), 3 * width / 1000);
    ASSERT_EQ(dataset.columns.size(), std::size_t{width} + 1);
    EXPECT_EQ(describe(dataset.columns[4]), "ignored");
    EXPECT_EQ(describe(dataset.columns[1001]), "always 1");
    EXPECT_EQ(describe(dataset.columns[1002]), "always 0");
}

TEST(FeatureColumns, WordsBecomeOneFeatureEach) {
    const Dataset dataset = read("id,city,age\na,Rome,3\nb,,0\nc,Oslo,1\n");
    EXPECT_THAT(dataset.feature_names, ElementsAre("city=Rome", "city=Oslo", "age"));
    EXPECT_THAT(row(dataset, 0), ElementsAre(1, 0, 3));
    EXPECT_THAT(row(dataset, 1), ElementsAre(0, 0, 0));
    EXPECT_THAT(row(dataset, 2), ElementsAre(0, 1, 1));
    EXPECT_THAT(dataset.notes, IsEmpty());
}

TEST(FeatureColumns, KnowTheirFeatures) {
    const Dataset dataset = read("age,id,a=b,a=c\n3,a,d,x\n0,b,d,\n1,c,e,y\n", [] {
        CsvFiles files = both_files();
        files.id_column = "id";
        return files;
    }());
    EXPECT_THAT(dataset.feature_names, ElementsAre("age", "a=b=d", "a=b=e", "a=c=x", "a=c=y"));
    ASSERT_EQ(dataset.columns.size(), 4U);
    EXPECT_EQ(dataset.columns[0].kind, ColumnKind::number);
    EXPECT_EQ(dataset.columns[1].role, ColumnRole::id);
    EXPECT_EQ(dataset.columns[2].name, "a=b");
    EXPECT_EQ(dataset.columns[2].first_feature, 1);
    EXPECT_THAT(dataset.columns[2].categories, ElementsAre("d", "e"));
    EXPECT_EQ(dataset.columns[3].first_feature, 3);
    EXPECT_THAT(dataset.columns[3].categories, ElementsAre("x", "y"));
}

TEST(FeatureColumns, SayWhatBecameOfThem) {
    CsvFiles files = both_files();
    files.label_column = "team";
    files.ignored_columns = "note";
    const Dataset dataset = read(
        "id,team,city,age,pay,note,nothing,same\na,x,Rome,3,1000,k,,5\nb,y,,0,20,l,,5\nc,x,Oslo,1,,m,,5\n",
        files);
    std::vector<std::string> uses;
    for (const TableColumn& column : dataset.columns)
        uses.push_back(column.name + ": " + describe(column));
    EXPECT_THAT(uses, ElementsAre("id: the ids", "team: the labels: 2 classes", "city: 2 categories, 1 empty",
                                  "age: numbers from 0 to 3", "pay: numbers from 20 to 1000, 1 empty",
                                  "note: ignored", "nothing: empty", "same: always 5"));
}

TEST(FeatureColumns, WordsForNothingAmongNumbersCountAsEmpty) {
    const Dataset dataset = read("id,age\na,3\nb,NA\nc,NaN\n");
    EXPECT_THAT(dataset.feature_names, ElementsAre("age"));
    EXPECT_TRUE(std::isnan(row(dataset, 1)[0]));
    EXPECT_THAT(dataset.notes,
                ElementsAre("nodes.csv: column 'age': 'NA' and the like count as empty (2 in all)"));
    EXPECT_EQ(describe(dataset.columns[1]), "always 3, 2 empty");
    // Among words they may be words: NA is Namibia.
    EXPECT_THAT(read("id,land\na,NA\nb,DE\nc,NA\n").feature_names, ElementsAre("land=NA", "land=DE"));
    expect_input_error([] { read("id,age\na,3\nb,NA\nc,old\n"); },
                       {"nodes.csv:3: column 'age': 'NA' is not a number"});
}

TEST(FeatureColumns, DatesAreLeftOutWithAdvice) {
    for (const char* const pattern : {"2024-{:02}-{:02}", "{1}.{0}.2024", "{:02}/{:02}/24"}) {
        std::string nodes = "id,since\na,2020-01-01\nb,2020-01-02\nc,2020-01-03\n";
        for (int k = 0; k < 80; ++k)
            nodes +=
                fmt::format("x{},", k) + fmt::format(fmt::runtime(pattern), 1 + k % 12, 1 + k / 12) + "\n";
        const Dataset dataset = read(nodes);
        ASSERT_EQ(dataset.notes.size(), 1U);
        EXPECT_THAT(dataset.notes[0], HasSubstr("different dates; a number in their place")) << pattern;
    }
}

TEST(FeatureColumns, DecimalCommasAreNoWords) {
    expect_input_error(
        [] { read("id;x\na;3,5\nb;-4,0\nc;1,25\n"); },
        {"nodes.csv:2: column 'x': '3,5' is a number with a comma; write a decimal point in its place"});
    expect_input_error([] { read("id;x\na;3\nb;4,5\nc;1\n"); },
                       {"nodes.csv:3: column 'x': '4,5' is a number with"});
    CsvFiles files = both_files();
    files.categorical_columns = "x";
    EXPECT_THAT(read("id;x\na;3,5\nb;4,0\nc;3,5\n", files).feature_names, ElementsAre("x=3,5", "x=4,0"));
    EXPECT_EQ(read("id;x\na;Rome, IT\nb;1,a\nc;,5\n").features.columns, 3);
    for (const char* const words : {"id;x\na;3,4\nb;attic\nc;cellar\n", "id;x\na;attic\nb;3,4\nc;cellar\n"})
        EXPECT_EQ(read(words).features.columns, 3);
}

TEST(FeatureColumns, NumbersCanBeCategories) {
    CsvFiles files = both_files();
    files.categorical_columns = "zip";
    const Dataset dataset = read("id,zip\na,10115\nb,20095\nc,10115\n", files);
    EXPECT_THAT(dataset.feature_names, ElementsAre("zip=10115", "zip=20095"));
    EXPECT_THAT(row(dataset, 2), ElementsAre(1, 0));
}

TEST(FeatureColumns, ATypingErrorAmongNumbersIsNotACategory) {
    expect_input_error(
        [] { read("id,age\na,31\nb,4o\nc,52\n"); },
        {"nodes.csv:3: column 'age': '4o' is not a number, as 2 others are", "`categorical='age'`"});
}

TEST(FeatureColumns, NamesAreLeftOutWithANote) {
    std::string table = "id,title,x\n";
    for (const char* id : {"a", "b", "c"})
        table += std::string(id) + ",Title of " + id + ",1\n";
    for (int i = 0; i < 60; ++i)
        table += "n" + std::to_string(i) + ",Title " + std::to_string(i) + (i % 2 == 0 ? ",1\n" : ",2\n");
    const Dataset dataset = read(table);
    EXPECT_THAT(dataset.feature_names, ElementsAre("x"));
    ASSERT_EQ(dataset.notes.size(), 1U);
    EXPECT_THAT(dataset.notes[0], HasSubstr("column 'title' is left out: 63 different texts for 63 nodes"));
    CsvFiles files = both_files();
    files.categorical_columns = "title";
    EXPECT_EQ(read(table, files).feature_names.size(), 64U);
    files.categorical_columns = "";
    files.ignored_columns = "title";
    EXPECT_THAT(read(table, files).notes, IsEmpty());
}

TEST(FeatureColumns, NumbersStayAsTheyAre) {
    const Dataset dataset = read("id,x,city\na,-1,Rome\nb,3e4,\nc,,Oslo\n");
    EXPECT_THAT(row(dataset, 0), ElementsAre(-1, 1, 0));
    EXPECT_THAT(row(dataset, 1), ElementsAre(3e4, 0, 0));
    EXPECT_THAT(dataset.feature_kinds,
                ElementsAre(FeatureKind::column, FeatureKind::category, FeatureKind::category));
    EXPECT_THAT(dataset.notes, IsEmpty());
}

TEST(FeatureColumns, AnEmptyCellOfASparseTableIsZero) {
    std::string header = "id", rest;
    for (int k = 0; k < 20; ++k) {
        header += fmt::format(",w{}", k);
        rest += k == 3 ? ",2" : ",";
    }
    const std::string none(20, ',');
    const Dataset dataset = read(header + "\na" + rest + "\nb" + none + "\nc" + none + "\n");
    EXPECT_EQ(dataset.features.entries(), 1);
    EXPECT_THAT(dataset.notes,
                ::testing::Contains(HasSubstr("20 columns are mostly empty: an empty cell counts as 0")));
    EXPECT_TRUE(std::isnan(row(read("id,age\na,3\nb,\nc,\n"), 1)[0])) << "one column is no table of words";
}

TEST(FeatureColumns, AGapIsMissingAndNotZero) {
    for (const char* const gap : {"", "NaN", "nan", "NA", "null"}) {
        const Dataset dataset = read(fmt::format("id,x\na,-1\nb,{}\nc,2\n", gap));
        ASSERT_EQ(dataset.features.row(1).size(), 1U) << gap;
        EXPECT_TRUE(std::isnan(dataset.features.row(1).values[0])) << gap;
    }
    expect_input_error([] { read("id,x\na,inf\nb,1\nc,2\n"); },
                       {"nodes.csv:2: column 'x': 'inf' is not a finite"});
}

TEST(FeatureColumns, UnknownAndTakenColumnsAreRefused) {
    CsvFiles files = both_files();
    files.categorical_columns = "citi";
    expect_input_error([&] { read("id,city\na,x\nb,x\nc,y\n", files); },
                       {"nodes.csv:1: no column 'citi', did you mean 'city'?"});
    files.categorical_columns = "";
    files.ignored_columns = "id";
    expect_input_error([&] { read("id,city\na,x\nb,x\nc,y\n", files); }, {"holds the ids or the labels"});
}

// A table of so many nodes with a column of this name: a cell per line.
Dataset with_column(const std::string& name, int nodes, const std::function<std::string(int)>& cell,
                    const CsvFiles& files = both_files()) {
    std::string table = "node," + name + "\na," + cell(0) + "\nb," + cell(1) + "\nc," + cell(2) + "\n";
    for (int k = 3; k < nodes; ++k)
        table += fmt::format("n{},{}\n", k, cell(k));
    return read(table, files);
}

std::string scattered(int k) {
    return fmt::to_string(k * 7919 % 100003);
}

TEST(FeatureColumns, IdsAreLeftOut) {
    for (const std::string name :
         {"id", "ID", "user_id", "userId", "userID", "Index", "Unnamed: 0", "row id"}) {
        const Dataset dataset = with_column(name, 30, scattered);
        EXPECT_EQ(dataset.features.columns, 0) << name;
        EXPECT_EQ(describe(dataset.columns[1]), "left out: 30 different ids");
        EXPECT_THAT(
            dataset.notes,
            ElementsAre(fmt::format("nodes.csv: column '{0}' is left out: 30 different whole numbers for 30 "
                                    "nodes are ids rather than measurements (`numeric='{0}'` takes it "
                                    "nevertheless)",
                                    name)));
    }
    const Dataset lines = with_column("n", 60, [](int k) { return fmt::to_string(k + 7); });
    EXPECT_EQ(lines.features.columns, 0);
    EXPECT_THAT(lines.notes, ElementsAre(HasSubstr("'n' is left out: numbers that count the lines")));
}

TEST(FeatureColumns, MeasurementsAreNoIds) {
    const auto is_kept = [](const Dataset& dataset) {
        return dataset.features.columns == 1 && dataset.notes.empty();
    };
    EXPECT_TRUE(is_kept(with_column("people", 60, scattered))) << "different whole numbers may be counts";
    EXPECT_TRUE(is_kept(with_column("n", 60, [](int k) { return fmt::format("{}.5", k); })));
    EXPECT_TRUE(is_kept(with_column("id", 60, [](int k) { return fmt::format("{}.5", k); })));
    EXPECT_TRUE(is_kept(with_column("city_id", 60, [](int k) { return fmt::to_string(k % 59); })))
        << "given twice";
    EXPECT_TRUE(is_kept(with_column("id", 60, [](int k) { return k == 9 ? "" : fmt::to_string(k); })))
        << "a gap";
    EXPECT_TRUE(is_kept(with_column("id", 10, scattered))) << "too few to know";
    EXPECT_TRUE(is_kept(with_column("paid", 60, scattered)));
    EXPECT_TRUE(is_kept(with_column("n", 30, [](int k) { return fmt::to_string(k); })));
}

TEST(FeatureColumns, WholeNumbersInOrderAreDoubted) {
    const Dataset rising = with_column("n", 60, [](int k) { return fmt::to_string(3 * k); });
    EXPECT_EQ(rising.features.columns, 1);
    EXPECT_THAT(rising.notes,
                ElementsAre(HasSubstr("'n' is a feature: 60 different whole numbers in ascending order; "
                                      "if they are ids, `ignore='n'` leaves it out")));
    EXPECT_THAT(
        with_column("rank", 61, [](int k) { return fmt::to_string(k * 7 % 61); }).notes,
        ElementsAre(HasSubstr("'rank' is a feature: 61 different whole numbers, each from 0 to 60; if")));
    EXPECT_THAT(with_column("x", 61, [](int k) { return fmt::to_string(k == 5 ? 6 : k * 7 % 61); }).notes,
                IsEmpty())
        << "one is missing";
}

TEST(FeatureColumns, ThatLookLikeIdsAreTakenOnRequest) {
    CsvFiles files = both_files();
    files.numeric_columns = "id";
    const Dataset dataset = with_column("id", 60, scattered, files);
    EXPECT_EQ(dataset.features.columns, 1);
    EXPECT_THAT(dataset.notes, IsEmpty());
    files.ignored_columns = "id";
    expect_input_error([&] { with_column("id", 60, scattered, files); },
                       {"'id' is in `numeric` and in `ignore`"});
    CsvFiles earlier = both_files();
    earlier.judge_columns = false;
    EXPECT_EQ(with_column("id", 60, scattered, earlier).features.columns, 1) << "as earlier versions read it";
}

TEST(FeatureColumns, ASecondColumnOfLabelsIsPointedOut) {
    CsvFiles files = both_files();
    files.label_column = "topic";
    const std::string table = "id,topic,class\na,x,1\nb,y,2\nc,x,1\n";
    EXPECT_THAT(read(table, files).notes, ElementsAre(HasSubstr("`ignore='class'` keeps the answers")));
    files.ignored_columns = "class";
    EXPECT_THAT(read(table, files).notes, IsEmpty());
    EXPECT_EQ(read(table, files).features.columns, 0);
}

CsvFiles with_list() {
    CsvFiles files = both_files();
    files.features = "words.csv";
    return files;
}

TEST(FeatureList, AddsFeaturesInLongForm) {
    const Dataset dataset = read("id,x\na,1\nb,0\nc,0\n", with_list(),
                                 "id,feature,value\nb,graph,2\na,node,0.5\nb,node,1\nb,graph,1\n");
    EXPECT_THAT(dataset.feature_names, ElementsAre("x", "graph", "node"));
    EXPECT_THAT(row(dataset, 0), ElementsAre(1, 0, 0.5));
    EXPECT_THAT(row(dataset, 1), ElementsAre(0, 3, 1)) << "the same place twice is added up";
    EXPECT_THAT(row(dataset, 2), ElementsAre(0, 0, 0));
}

TEST(FeatureList, ValuesAndHeaderAreOptional) {
    EXPECT_THAT(row(read("id\na\nb\nc\n", with_list(), "a,red\nc,blue\n"), 2), ElementsAre(0, 1));
    EXPECT_THAT(row(read("id\na\nb\nc\n", with_list(), "node,word\na,red\nc,blue\n"), 2), ElementsAre(0, 1));
}

TEST(FeatureList, NeedsNoNodeTable) {
    CsvFiles files;
    files.edges = "edges.csv";
    files.features = "words.csv";
    const Dataset dataset = parse_csv_dataset(files, "a,b\nb,c\n", "", "c,red,2\n");
    EXPECT_EQ(dataset.nodes, 3);
    EXPECT_THAT(row(dataset, 2), ElementsAre(2));
}

TEST(FeatureList, SaysWhatIsWrong) {
    const auto with = [](const std::string& text) { read("id\na\nb\nc\n", with_list(), text); };
    expect_input_error([&] { with(""); }, {"words.csv: is empty: expected a node id, a feature"});
    expect_input_error([&] { with("a,red,1\nab,red,1\n"); },
                       {"words.csv:2: node id 'ab' is not among the 3"});
    expect_input_error([&] { with("d,red,1\n"); }, {"words.csv:1: node id 'd' is not among the 3"});
    expect_input_error([&] { with("a,red,much\n"); },
                       {"words.csv:1: the value 'much' is not a finite number"});
    expect_input_error([&] { with("a,,1\n"); }, {"words.csv:1: the name of the feature is empty"});
    expect_input_error([&] { with("a\n"); }, {"words.csv:1: expected two or three columns"});
}

}  // namespace
}  // namespace hwgcn::feature_columns_test
