#include "base/json_text.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "hwgcn/base/error.hpp"

namespace hwgcn::json_text_test {
namespace {

std::string refusal(const std::string& text) {
    try {
        parse_json("f.json", text);
    } catch (const InputError& error) {
        return error.what();
    }
    return "";
}

std::string nested(int levels, const std::string& open, const std::string& inner, const std::string& close) {
    std::string text;
    for (int k = 0; k < levels; ++k)
        text += open;
    text += inner;
    for (int k = 0; k < levels; ++k)
        text += close;
    return text;
}

TEST(ParseJson, GivesTheValueInItsOrder) {
    const nlohmann::ordered_json json = parse_json("f.json", R"({"b": [1, 2.5, null], "a": {"x": "y"}})");
    EXPECT_EQ(json.dump(), R"({"b":[1,2.5,null],"a":{"x":"y"}})");
    EXPECT_EQ(parse_json("f.json", "7"), 7);
}

TEST(ParseJson, SaysWhereTextIsNotJson) {
    EXPECT_EQ(refusal("").find("f.json: byte 0: not valid JSON: "), 0U) << refusal("");
    EXPECT_EQ(refusal(R"({"a": [n1]})").find("f.json: byte 8: not valid JSON: "), 0U);
    EXPECT_NE(refusal("{\"a\": \"\xff\"}"), "");
    EXPECT_NE(refusal("[1e999]"), "");
    EXPECT_NE(refusal("[1] [2]"), "");
    EXPECT_EQ(refusal("[\"\x1b[2J\"]").find('\x1b'), std::string::npos);
    EXPECT_LT(refusal("[\"" + std::string(100'000, 'x')).size(), 300U);
}

TEST(ParseJson, StopsAtADepthThatNothingHonestHas) {
    EXPECT_EQ(refusal(nested(deepest_json, "[", "1", "]")), "");
    EXPECT_EQ(refusal(nested(deepest_json + 1, "[", "1", "]")),
              "f.json: is nested deeper than the 64 levels that are accepted");
    for (const int levels : {160'000, 2'000'000}) {
        EXPECT_NE(refusal(nested(levels, "[", "", "]")).find("nested deeper"), std::string::npos);
        EXPECT_NE(refusal(nested(levels, R"({"a":)", "1", "}")).find("nested deeper"), std::string::npos);
        EXPECT_NE(refusal(nested(levels, R"([{"a":)", "1", "}]")).find("nested deeper"), std::string::npos);
        EXPECT_NE(refusal(nested(levels, "[", "", "")).find("nested deeper"), std::string::npos);
    }
}

TEST(ParseJson, RefusesAKeyThatIsGivenTwiceInOneObject) {
    EXPECT_EQ(refusal(R"({"a": 1, "b": 2, "a": 3})"), "f.json: the key \"a\" is given twice");
    EXPECT_EQ(refusal(R"([{"x": {"a": 1, "a": 3}}])"), "f.json: the key \"a\" is given twice");
    EXPECT_EQ(refusal(R"([{"a": 1}, {"a": 1, "b": {"a": 1}}])"), "");
}

TEST(ParseJson, RefusesObjectsThatWouldTakeForever) {
    std::string text = "{\"0\":0";
    for (int key = 1; key < 200'000; ++key)
        text += ",\"" + std::to_string(key) + "\":0";
    EXPECT_EQ(refusal(text + "}"), "f.json: an object has more than the 10000 keys that are accepted");
}

TEST(JsonText, IsValidWhateverItHolds) {
    const nlohmann::ordered_json json = {{"name", "\xff\xc2\x9b\x1b\xe2\x80\xae"}};
    const std::string text = json_text(json);
    EXPECT_EQ(text, "{\n  \"name\": \"\xef\xbf\xbd\\u009b\\u001b\\u202e\"\n}\n");
    EXPECT_EQ(parse_json("f.json", text)["name"], "\xef\xbf\xbd\xc2\x9b\x1b\xe2\x80\xae");
}

}  // namespace
}  // namespace hwgcn::json_text_test
