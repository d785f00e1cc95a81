// The keys of every command's JSON are a contract: programs read them. Those that are there stay; what is
// added goes into json_keys.txt.

#include <set>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "run_program.hpp"

namespace hwgcn::json_keys_test {
namespace {

using Json = nlohmann::json;

// Keys that depend on the data: their values stand for all of them.
bool names_its_members(const std::string& path) {
    static const std::set<std::string> paths = {".settings",  ".results[].settings", ".baselines[].settings",
                                                ".baselines", ".libraries",          ".results[].chosen"};
    return paths.contains(path);
}

void collect(const Json& json, const std::string& path, std::set<std::string>& keys) {
    if (json.is_object()) {
        for (const auto& [key, value] : json.items()) {
            const std::string place = path + "." + (names_its_members(path) ? "*" : key);
            keys.insert(place);
            collect(value, place, keys);
        }
    }
    if (json.is_array()) {
        for (const Json& value : json)
            collect(value, path + "[]", keys);
    }
}

std::string keys_of(const testing::User& user, const std::string& title,
                    const std::vector<std::string>& arguments) {
    std::set<std::string> keys;
    collect(user.run_json(arguments), "", keys);
    std::string text = title + "\n";
    for (const std::string& key : keys) {
        if (!key.starts_with(".devices[]")) text += "  " + key.substr(1) + "\n";  // not every machine has one
    }
    return text;
}

TEST(JsonKeys, AreThoseOfTheContract) {
    const testing::User user;
    const std::vector<std::string> split = {"--split", "random:4:8:10", "--epochs", "5"};
    const auto with_split = [&](std::vector<std::string> words) {
        words.insert(words.end(), split.begin(), split.end());
        return words;
    };
    std::string found = keys_of(user, "info", {"info"});
    found += keys_of(user, "data list", {"data", "list"});
    found += keys_of(user, "inspect", {"inspect", "karate", "--order", "3"});
    found += keys_of(user, "shard", {"shard", "karate", "--out", "shards"});
    found += keys_of(user, "weights", {"weights", "karate", "--order", "3", "--out", "weights.npz"});
    found += keys_of(user, "train --method auto", with_split({"train", "karate", "--method", "auto"}));
    found += keys_of(user, "train", with_split({"train", "karate", "--out", "run"}));
    found += keys_of(user, "predict", {"predict", "run", "--out", "predictions.csv"});
    found += keys_of(user, "explain", {"explain", "run", "--node", "1", "--importances"});
    found +=
        keys_of(user, "evaluate", with_split({"evaluate", "karate", "--method", "gcn,auto", "--runs", "2"}));
    const std::string golden = std::string(HWGCN_SOURCE_DIR) + "/tests/cli/json_keys.txt";
    EXPECT_EQ(found, testing::content_of(golden))
        << "if keys were added, and only then, write them into " << golden;
}

}  // namespace
}  // namespace hwgcn::json_keys_test
