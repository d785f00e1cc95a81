// Columns that give the label away are pointed out, good ones are not.
#include <limits>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "hwgcn/dataset/synthetic.hpp"
#include "hwgcn/pipeline/train_run.hpp"

#include "base/random_stream.hpp"
#include "pipeline/warnings.hpp"

namespace hwgcn::telling_columns_test {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

// A table of numbers on a ring, six columns c0 .. c5 of noise, and a label that these say nothing about.
struct Customers {
    static constexpr Index columns = 6;
    Dataset dataset;
    std::vector<std::vector<double>> cells;

    explicit Customers(Index nodes = 400, Index classes = 2) {
        dataset.name = "customers";
        dataset.nodes = nodes;
        for (Index c = 0; c < classes; ++c)
            dataset.class_names.push_back(std::string(1, static_cast<char>('a' + c)));
        RandomStream random(3, 0);
        cells.assign(static_cast<std::size_t>(nodes), {});
        for (Index i = 0; i < nodes; ++i) {
            dataset.edges.push_back({i, (i + 1) % nodes});
            dataset.labels.push_back(static_cast<Index>(random.uniform() * classes));
            for (Index f = 0; f < columns; ++f)
                cells[i].push_back(random.uniform() + random.uniform() - 1);
        }
        for (Index f = 0; f < columns; ++f)
            dataset.feature_names.push_back("c" + std::to_string(f));
        dataset.feature_kinds.assign(columns, FeatureKind::number);
    }

    // Half of the labels are known, where nothing else is wanted.
    std::vector<std::string> notes(Index known = 0) const {
        Dataset full = dataset;
        full.features = {full.nodes, columns, {0}, {}, {}};
        for (const std::vector<double>& row : cells) {
            for (Index f = 0; f < columns; ++f) {
                full.features.indices.push_back(f);
                full.features.values.push_back(static_cast<float>(row[f]));
            }
            full.features.offsets.push_back(full.features.entries());
        }
        Split split{"some", {}, {}, {}};
        for (Index i = 0; i < full.nodes; ++i)
            (i < (known > 0 ? known : full.nodes / 2) ? split.train : split.test).push_back(i);
        const PreparedGraph graph = prepare_graph(std::move(full));
        return columns_that_tell(graph, split, {1});
    }
};

TEST(TellingColumns, NoneIsNamedWhereColumnsAreNoiseOrGood) {
    Customers customers(800);
    EXPECT_THAT(customers.notes(), IsEmpty());
    for (Index i = 0; i < 800; ++i)
        customers.cells[i][2] += customers.dataset.labels[i];  // good, but not perfect
    EXPECT_THAT(customers.notes(), IsEmpty());
    const PreparedGraph words = prepare_graph(make_synthetic({}));
    EXPECT_THAT(columns_that_tell(words, all_training_split(words.dataset), {1}), IsEmpty());
}

TEST(TellingColumns, AColumnMadeFromTheLabelIsNamed) {
    Customers customers;
    for (Index i = 0; i < 400; ++i)
        customers.cells[i][4] -= 2.5 * customers.dataset.labels[i];  // the lower, the more of class b
    EXPECT_THAT(customers.notes(),
                ElementsAre(AllOf(HasSubstr("column 'c4' alone tells the classes apart (ROC AUC 100.00 % on "
                                            "200 known labels): is it known before the label is?"),
                                  HasSubstr("`ignore`"))));
}

TEST(TellingColumns, AGapThatOnlyOneClassHasIsNamedByItsColumn) {
    Customers customers;
    for (Index i = 0; i < 400; ++i) {
        if (customers.dataset.labels[i] == 0)
            customers.cells[i][1] = std::numeric_limits<double>::quiet_NaN();
    }
    EXPECT_THAT(customers.notes(), ElementsAre(HasSubstr("column 'c1' alone")));
}

TEST(TellingColumns, OneOfThreeClassesIsEnough) {
    Customers customers(400, 3);
    for (Index i = 0; i < 400; ++i) {
        customers.cells[i][0] += customers.dataset.labels[i] == 2 ? 3 : 0;
        customers.cells[i][5] += customers.dataset.labels[i] == 2 ? 3 : 0;
    }
    EXPECT_THAT(customers.notes(),
                ElementsAre(HasSubstr("columns 'c0', 'c5' alone each tell a class from the others")));
    Customers single(400, 3);
    for (Index i = 0; i < 400; ++i)
        single.cells[i][3] -= single.dataset.labels[i] == 1 ? 3 : 0;
    EXPECT_THAT(single.notes(), ElementsAre(HasSubstr("column 'c3' alone tells 'b' from the other classes")));
}

// Neither column alone says much: the label is whether their difference is positive.
TEST(TellingColumns, ColumnsThatTellTogetherAreNamed) {
    Customers customers(1200);
    for (Index i = 0; i < 1200; ++i) {
        std::vector<double>& row = customers.cells[i];
        row[3] = row[1] + (customers.dataset.labels[i] == 1 ? 0.05 : -0.05);
    }
    EXPECT_THAT(customers.notes(),
                ElementsAre(AllOf(HasSubstr("'c1'"), HasSubstr("'c3'"), Not(HasSubstr("'c0'")),
                                  HasSubstr("together tell the classes apart"),
                                  HasSubstr("on 300 labels that a logistic regression had not seen"))));
}

TEST(TellingColumns, FewLabelsSayNothing) {
    Customers customers;
    for (Index i = 0; i < 400; ++i)
        customers.cells[i][4] += 2.5 * customers.dataset.labels[i];
    EXPECT_THAT(customers.notes(30), IsEmpty());
    EXPECT_FALSE(customers.notes(100).empty());
}

TEST(TellingColumns, TestLabelsAreNotLookedAt) {
    Customers customers;
    for (Index i = 0; i < 400; ++i)
        customers.cells[i][4] += i < 200 ? 0 : 2.5 * customers.dataset.labels[i];
    EXPECT_THAT(customers.notes(), IsEmpty());
}

}  // namespace
}  // namespace hwgcn::telling_columns_test
