#include "methods/linear/logistic_regression.hpp"

#include <cmath>

#include "methods/small_graphs.hpp"

namespace hwgcn::testing::logistic_regression_test {
namespace {

std::vector<Index> made_up_labels(Index count, Index classes) {
    std::vector<Index> labels;
    for (Index i = 0; i < count; ++i)
        labels.push_back((i * i + i / 3) % classes);
    return labels;
}

// At the minimum, l2 theta_fc = mean over the examples of x_f (indicator - p)_c, with x = 1 for the bias.
TEST(LogisticRegression, StandsWhereTheGradientIsZero) {
    const CsrMatrix<float> rows = random_features(40, 12, 0.4, 3);
    const std::vector<Index> labels = made_up_labels(40, 3);
    const double l2 = 0.01;
    const LinearClassifier classifier = fit_logistic_regression({rows, labels, 3}, l2, {1});
    EXPECT_TRUE(classifier.converged);
    EXPECT_EQ(note_of(classifier), "");
    const DenseMatrix p = classify(rows, classifier.theta, {1});
    expect_probabilities(p);
    for (Index f = 0; f <= 12; ++f) {
        for (Index c = 0; c < 3; ++c) {
            double pull = 0;
            for (Index i = 0; i < 40; ++i) {
                double x = f == 12 ? 1.0 : 0.0;
                for (std::size_t e = 0; e < rows.row(i).size(); ++e) {
                    if (rows.row(i).indices[e] == f) x = static_cast<double>(rows.row(i).values[e]);
                }
                pull += x * ((labels[i] == c ? 1.0 : 0.0) - static_cast<double>(p.at(i, c))) / 40;
            }
            EXPECT_NEAR(l2 * static_cast<double>(classifier.theta.at(f, c)), pull, 1e-5) << f << ' ' << c;
        }
    }
}

TEST(LogisticRegression, ALowPenaltySeparatesWhatCanBeSeparated) {
    const CsrMatrix<float> rows = random_features(20, 60, 0.5, 5);
    const std::vector<Index> labels = made_up_labels(20, 4);
    const LinearClassifier classifier = fit_logistic_regression({rows, labels, 4}, 1e-5, {1});
    std::vector<Index> all;
    for (Index i = 0; i < 20; ++i)
        all.push_back(i);
    EXPECT_EQ(accuracy(classify(rows, classifier.theta, {1}), {all, labels}), 1.0);
}

TEST(LogisticRegression, AClassWithoutExamplesIsImprobableAndFinite) {
    const CsrMatrix<float> rows = random_features(10, 5, 0.6, 7);
    const LinearClassifier classifier = fit_logistic_regression({rows, made_up_labels(10, 2), 4}, 1e-4, {1});
    const DenseMatrix p = classify(rows, classifier.theta, {1});
    expect_probabilities(p);
    for (Index i = 0; i < 10; ++i)
        EXPECT_LT(p.at(i, 3), 0.05F);
}

TEST(ClassicMethods, RefuseAnEmptyListOfCandidates) {
    for (const char* method : {"ica", "deepwalk", "manireg"})
        EXPECT_THROW(make_classic_method(method, {{"classifier_l2", ""}}), InputError) << method;
    EXPECT_THROW(make_classic_method("manireg", {{"smoothness", ""}}), InputError);
}

TEST(UnitRows, HaveLengthOneOrAreZero) {
    const CsrMatrix<float> rows = unit_rows(random_features(30, 10, 0.2, 2));
    for (Index i = 0; i < 30; ++i) {
        double squares = 0;
        for (const float value : rows.row(i).values)
            squares += static_cast<double>(value) * static_cast<double>(value);
        EXPECT_NEAR(squares, rows.row(i).size() > 0 ? 1.0 : 0.0, 1e-6);
    }
}

}  // namespace
}  // namespace hwgcn::testing::logistic_regression_test
