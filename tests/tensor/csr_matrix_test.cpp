#include "hwgcn/tensor/csr_matrix.hpp"

#include <map>
#include <numeric>

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include "hwgcn/base/error.hpp"

namespace hwgcn::csr_matrix_test {
namespace {

CsrMatrix<float> two_by_three() {
    return {2, 3, {0, 2, 3}, {0, 2, 1}, {1.0F, 2.0F, 3.0F}};
}

TEST(CsrFromTriplets, HoldsTheSumOfTheEntriesAtEachPlace) {
    const bool holds = rc::check([] {
        const Index rows = *rc::gen::inRange(1, 8);
        const Index columns = *rc::gen::inRange(1, 8);
        const auto count = *rc::gen::inRange(0, 40);
        std::vector<Triplet<float>> triplets;
        std::map<std::pair<Index, Index>, float> expected;
        for (int k = 0; k < count; ++k) {
            const Triplet<float> t{*rc::gen::inRange(0, rows), *rc::gen::inRange(0, columns),
                                   static_cast<float>(*rc::gen::inRange(1, 100))};
            triplets.push_back(t);
            expected[{t.row, t.column}] += t.value;
        }
        const CsrMatrix<float> matrix = csr_from_triplets(rows, columns, triplets);
        validate_csr(matrix, "matrix");
        std::map<std::pair<Index, Index>, float> found;
        for (Index i = 0; i < rows; ++i) {
            const auto row = matrix.row(i);
            for (std::size_t e = 0; e < row.size(); ++e)
                found[{i, row.indices[e]}] = row.values[e];
        }
        RC_ASSERT(found == expected);
    });
    EXPECT_TRUE(holds);
}

TEST(RowNormalized, RowsSumToOneAndZeroRowsStayZero) {
    CsrMatrix<float> matrix{3, 3, {0, 2, 2, 4}, {0, 2, 0, 1}, {1.0F, 3.0F, 0.0F, 0.0F}};
    const CsrMatrix<float> normalized = row_normalized(matrix);
    EXPECT_FLOAT_EQ(normalized.values[0], 0.25F);
    EXPECT_FLOAT_EQ(normalized.values[1], 0.75F);
    EXPECT_EQ(normalized.values[2], 0.0F);
    EXPECT_EQ(normalized.indices, matrix.indices);
}

TEST(ValidateCsr, AcceptsAValidMatrix) {
    EXPECT_NO_THROW(validate_csr(two_by_three(), "matrix"));
}

TEST(ValidateCsr, RefusesEveryBrokenInvariantAndNamesIt) {
    const auto refuses = [](const char* expected, auto&& break_it) {
        CsrMatrix<float> matrix = two_by_three();
        break_it(matrix);
        try {
            validate_csr(matrix, "features");
            ADD_FAILURE() << "accepted: " << expected;
        } catch (const InputError& error) {
            EXPECT_NE(std::string(error.what()).find(expected), std::string::npos) << error.what();
            EXPECT_EQ(std::string(error.what()).rfind("features: ", 0), 0U) << error.what();
        }
    };
    refuses("negative number", [](auto& m) { m.rows = -1; });
    refuses("row offsets, expected 4", [](auto& m) { m.rows = 3; });
    refuses("values for", [](auto& m) { m.values.pop_back(); });
    refuses("run from", [](auto& m) { m.offsets.back() = 7; });
    refuses("run from", [](auto& m) { m.offsets.front() = -1; });
    refuses("do not ascend", [](auto& m) { m.offsets[1] = 9; });
    refuses("do not ascend", [](auto& m) { m.offsets[1] = -5; });
    refuses("outside 0..2", [](auto& m) { m.indices[0] = 3; });
    refuses("outside 0..2", [](auto& m) { m.indices[0] = -1; });
    refuses("row 0: column 2 is repeated or out of order", [](auto& m) { m.indices[0] = 2; });
    refuses("row 0: column 0 is repeated or out of order", [](auto& m) { m.indices[1] = 0; });
    refuses("row 0: column 0 is repeated or out of order", [](auto& m) { m.indices = {1, 0, 1}; });
}

TEST(ValidateCsr, RefusesARepeatedColumnInAnyRowAndPlace) {
    for (Index row = 0; row < 3; ++row) {
        for (int place = 1; place < 4; ++place) {
            CsrMatrix<double> matrix{3, 5, {0, 4, 8, 12}, {}, std::vector<double>(12, 1.0)};
            for (int e = 0; e < 12; ++e)
                matrix.indices.push_back(e % 4);
            EXPECT_NO_THROW(validate_csr(matrix, "matrix"));
            matrix.indices[row * 4 + place] = place - 1;
            EXPECT_THROW(validate_csr(matrix, "matrix"), InputError) << row << " " << place;
        }
    }
    // The last column of one row may well be the first of the next.
    EXPECT_NO_THROW(validate_csr(CsrMatrix<float>{2, 2, {0, 1, 2}, {1, 1}, {1.0F, 1.0F}}, "matrix"));
}

}  // namespace
}  // namespace hwgcn::csr_matrix_test
