#include <gtest/gtest.h>

#include "hwgcn/weights/learn_weights.hpp"

#include "base/parameter.hpp"
#include "dataset/synthetic_parameters.hpp"
#include "weights/weight_parameters.hpp"

namespace hwgcn::testing::parameters_test {
namespace {

template <typename Options>
void expect_values_survive_as_text(const std::vector<Parameter<Options>>& table) {
    for (const Parameter<Options>& parameter : table) {
        Options options;
        const std::string value = parameter.get(options);
        EXPECT_TRUE(parameter.set(options, value)) << parameter.name << " = " << value;
        EXPECT_EQ(parameter.get(options), value);
        EXPECT_FALSE(parameter.set(options, "no such value")) << parameter.name;
        EXPECT_EQ(parameter.get(options), value) << "a refused text changes nothing";
    }
}

TEST(Parameters, EveryDefaultIsAValueThatItsOwnTextSets) {
    expect_values_survive_as_text(weight_parameters());
    expect_values_survive_as_text(synthetic_parameters());
}

const Parameter<WeightOptions>& weight_parameter(std::string_view name) {
    for (const auto& parameter : weight_parameters()) {
        if (parameter.name == name) return parameter;
    }
    throw std::out_of_range("no such parameter");
}

TEST(Parameters, TheTableAcceptsWhatTheLibraryAccepts) {
    const auto accepted = [](std::string_view name, const std::string& text) {
        WeightOptions options;
        if (!weight_parameter(name).set(options, text)) return false;
        validate_options(options);  // throws where the table is more generous than the library
        return true;
    };
    for (const char* const order : {"1", "2", "64", "1e1"})
        EXPECT_TRUE(accepted("order", order)) << order;
    for (const char* const order : {"0", "65", "-2", "2.5", "1e9", "1e300", "", " 2", "2x"})
        EXPECT_FALSE(accepted("order", order)) << order;
    EXPECT_TRUE(accepted("tolerance", "1e-300"));
    for (const char* const tolerance : {"0", "-1", "nan", "inf", "1e400"})
        EXPECT_FALSE(accepted("tolerance", tolerance)) << tolerance;
    EXPECT_TRUE(accepted("keep", ""));
    EXPECT_TRUE(accepted("keep", "1"));
    for (const char* const keep : {"0", "1.01", "0.5,", ",0.5", "0.5,x"})
        EXPECT_FALSE(accepted("keep", keep)) << keep;
}

TEST(Parameters, WholeNumbersMayBeWrittenWithAnExponentUpToWhatADoubleHoldsExactly) {
    EXPECT_EQ(parse_value<int>("1e6"), 1'000'000);
    EXPECT_EQ(parse_value<std::uint64_t>("18446744073709551615"), 18446744073709551615U);
    EXPECT_EQ(parse_value<std::uint64_t>("1e19"), std::nullopt);
    EXPECT_EQ(parse_value<std::uint64_t>("-1"), std::nullopt);
    EXPECT_EQ(parse_value<int>("3e9"), std::nullopt);
    EXPECT_EQ(parse_value<int>("1e-1"), std::nullopt);
}

TEST(Parameters, AnUnknownNameSuggestsTheNearest) {
    WeightOptions options;
    try {
        set_parameter(weight_parameters(), options, "tolerence", "1");
        FAIL() << "accepted";
    } catch (const InputError& error) {
        EXPECT_NE(std::string(error.what()).find("did you mean 'tolerance'?"), std::string::npos);
    }
}

}  // namespace
}  // namespace hwgcn::testing::parameters_test
