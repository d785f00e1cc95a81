#include "report/report_page.hpp"

#include <map>

#include <gtest/gtest.h>

#include "hwgcn/base/error.hpp"

#include "base/base64.hpp"
#include "io/expect_input_error.hpp"
#include "operators/propagation.hpp"
#include "report/report_subject.hpp"

namespace hwgcn::report_page_test {
namespace {

using testing::expect_input_error;
using testing::Json;
using testing::Subject;
using testing::unpacked;

// What the page can know of a node, by ring: shown members with weight and share.
struct Seen {
    double weight = 0;
    double share = 0;
};

std::vector<std::map<std::string, Seen>> rings_of(const Json& explorer, std::size_t node) {
    const auto ring_nodes = unpacked<std::uint32_t>(explorer["ring_nodes"]);
    const auto neighbor = unpacked<std::uint16_t>(explorer["neighbor"]);
    const auto weight = unpacked<std::uint16_t>(explorer["weight"]);
    const auto share = explorer.contains("share") ? unpacked<std::int16_t>(explorer["share"])
                                                  : std::vector<std::int16_t>(neighbor.size());
    const std::size_t rings = explorer["rings"];
    const std::uint32_t per_ring = explorer["per_ring"];
    const double low = explorer["weight_range"][0], high = explorer["weight_range"][1];
    std::vector<std::map<std::string, Seen>> seen(rings);
    std::size_t entry = 0;
    for (std::size_t place = 0; place < (node + 1) * rings; ++place) {
        for (std::uint32_t e = 0; e < std::min(per_ring, ring_nodes[place]); ++e, ++entry) {
            if (place < node * rings) continue;
            seen[place % rings][explorer["ids"][neighbor[entry]]] = {
                std::exp(low + weight[entry] / 65535.0 * (high - low)), share[entry] / 32767.0};
        }
    }
    return seen;
}

TEST(ReportPage, TheExplorerHasTheLearnedWeights) {
    const Subject subject;
    const Json explorer = subject.run()["explorer"];
    EXPECT_EQ(explorer["focus"], 150);
    EXPECT_EQ(explorer["rings"], 3);
    for (const Index node : {0, 17, 149}) {
        const auto seen = rings_of(explorer, static_cast<std::size_t>(node));
        EXPECT_EQ(seen[0].size(), std::min<std::size_t>(20, subject.graph.graph.neighbors(node).size()));
        for (const auto& [id, member] : seen[0])
            EXPECT_NEAR(member.weight, 1.0, 1e-3);
        for (std::size_t k = 0; k < 2; ++k) {
            const auto row = subject.weights.orders[k].matrix.row(node);
            EXPECT_EQ(seen[k + 1].size(), std::min<std::size_t>(20, row.size()));
            double lightest = 1e9;
            for (const auto& [id, member] : seen[k + 1])
                lightest = std::min(lightest, member.weight);
            for (std::size_t e = 0; e < row.size(); ++e) {
                const auto found = seen[k + 1].find(std::to_string(row.indices[e]));
                if (found == seen[k + 1].end()) {
                    EXPECT_LE(row.values[e], lightest * 1.001);  // only lighter ones are left out
                } else {
                    EXPECT_NEAR(found->second.weight, row.values[e], 1e-3 * row.values[e]);
                }
            }
        }
    }
}

TEST(ReportPage, TheSharesAreThoseOfExplain) {
    for (const char* const method : {"hwgcn", "hwgpr", "gcn"}) {
        const Subject subject(method);
        const Json explorer = subject.run()["explorer"];
        ASSERT_TRUE(explorer.contains("share")) << method;
        const auto own = unpacked<std::int16_t>(explorer["own_share"]);
        const Explanation explanation = subject.explainer->explain(42, 0);
        std::map<std::string, double> expected;
        for (const NeighborTerm& term : explanation.neighbors)
            expected[std::to_string(term.node)] = term.share;
        EXPECT_NEAR(own[42] / 32767.0, expected["42"], 1e-4) << method;
        std::size_t compared = 0;
        for (const auto& ring : rings_of(explorer, 42)) {
            for (const auto& [id, member] : ring) {
                EXPECT_NEAR(member.share, expected[id], 1e-4) << method << ", node " << id;
                ++compared;
            }
        }
        EXPECT_GT(compared, 0U);
    }
}

TEST(ReportPage, TheWeightsAreThoseOfTheOperator) {
    for (const char* const orientation : {"transposed", "symmetric"}) {
        const Subject subject("hwgcn", Subject::dataset(), {{"orientation", orientation}});
        const CsrMatrix<double> turned =
            oriented(subject.weights.orders[0].matrix, subject.settings.propagation().orientation);
        const auto seen = rings_of(subject.run()["explorer"], 17)[1];
        const auto row = turned.row(17);
        ASSERT_GT(seen.size(), 0U);
        for (std::size_t e = 0; e < row.size(); ++e) {
            const auto found = seen.find(std::to_string(row.indices[e]));
            if (found == seen.end()) continue;
            EXPECT_NEAR(found->second.weight, row.values[e], 1e-3 * row.values[e]) << orientation;
        }
    }
}

// What the node itself, the rings and the others say, added up.
double total_share(const Json& explorer, std::size_t node) {
    const std::size_t rings = explorer["rings"];
    const auto ring_share = unpacked<std::int16_t>(explorer["ring_share"]);
    double sum = unpacked<std::int16_t>(explorer["own_share"])[node];
    sum += unpacked<std::int16_t>(explorer["other_share"])[node];
    for (std::size_t ring = 0; ring < rings; ++ring)
        sum += ring_share[node * rings + ring];
    return sum / 32767.0;
}

TEST(ReportPage, NothingThatWasSaidIsLostOrSaidTwice) {
    for (const char* const method : {"hwgcn", "hwgpr", "appnp"}) {
        for (const char* const neighborhood : {"distance", "power"}) {
            const Subject subject(method, Subject::dataset(),
                                  {{"operator", "higher-order"}, {"neighborhood", neighborhood}});
            const Json explorer = subject.run()["explorer"];
            double expected = 0;
            for (const NeighborTerm& term : subject.explainer->explain(42, 0).neighbors)
                expected += term.share;
            EXPECT_NEAR(total_share(explorer, 42), expected, 5e-4) << method << ", " << neighborhood;
            std::map<std::string, int> times;
            for (const auto& ring : rings_of(explorer, 42)) {
                for (const auto& [id, member] : ring)
                    EXPECT_EQ(++times[id], 1) << method << ", " << neighborhood << ", node " << id;
            }
        }
    }
}

TEST(ReportPage, TheExplorerKnowsPredictionsAndLabels) {
    Dataset dataset = Subject::dataset();
    dataset.labels[3] = unlabelled;
    const Subject subject("hwgcn", std::move(dataset));
    const Json explorer = subject.run()["explorer"];
    const auto predicted = unpacked<std::uint16_t>(explorer["predicted"]);
    const auto label = unpacked<std::uint16_t>(explorer["label"]);
    const auto part = unpacked<std::uint8_t>(explorer["part"]);
    EXPECT_EQ(label[3], 65535);
    for (Index node = 0; node < 150; ++node) {
        EXPECT_EQ(predicted[node], argmax(subject.probabilities, node));
        if (node != 3) {
            EXPECT_EQ(label[node], subject.graph.dataset.labels[node]);
        }
    }
    for (const Index node : subject.split.train)
        EXPECT_EQ(part[node], 1);
    for (const Index node : subject.split.test)
        EXPECT_EQ(part[node], 3);
}

TEST(ReportPage, ALargeGraphComesInPartAndSaysSo) {
    const Subject subject;
    ExplorerLimits limits;
    limits.all_nodes = 100;
    limits.nodes_of_larger = 70;
    limits.neighbors = 6;
    const ReportPage page = subject.page(limits);
    const Json explorer = Json::parse(page.run)["explorer"];
    EXPECT_EQ(explorer["focus"], 70);
    EXPECT_EQ(explorer["all_nodes"], 150);
    EXPECT_EQ(explorer["per_ring"], 2);
    const auto part = unpacked<std::uint8_t>(explorer["part"]);
    EXPECT_EQ(std::count(part.begin(), part.begin() + 70, 0), 0);  // those of the split come first
    for (const std::uint16_t neighbor : unpacked<std::uint16_t>(explorer["neighbor"]))
        EXPECT_LT(neighbor, explorer["ids"].size());
    ASSERT_EQ(page.notes.size(), 1U);
    EXPECT_EQ(page.notes[0], "The explorer has 70 of the 150 nodes to look at, those of the split first.");
}

TEST(ReportPage, MethodsWithoutExplanationHaveAPageWithoutShares) {
    const Subject subject("lp");
    const ReportPage page = subject.page();
    ASSERT_EQ(page.notes.size(), 1U);
    EXPECT_EQ(
        page.notes[0],
        "The explorer has weights but no shares: LP is no network, whose predictions could be traced back "
        "to single nodes.");
    const Json run = Json::parse(page.run);
    EXPECT_FALSE(run["explorer"].contains("share"));
    EXPECT_TRUE(run["weights"].empty());
}

TEST(ReportPage, OtherNetworksHaveTheSharesOfTheirGradients) {
    const Subject subject("gat");
    const ReportPage page = subject.page();
    EXPECT_TRUE(page.notes.empty());
    const Json explorer = Json::parse(page.run)["explorer"];
    EXPECT_EQ(explorer["kind"], "gradient");
    EXPECT_EQ(Subject("gcn").run()["explorer"]["kind"], "exact");
    EXPECT_EQ(Subject("boosted").run()["explorer"]["kind"], "shapley");
    const auto own = unpacked<std::int16_t>(explorer["own_share"]);
    for (const NeighborTerm& term : subject.explainer->explain(42, 0).neighbors) {
        if (term.node != 42) continue;
        EXPECT_NEAR(own[42] / 32767.0, term.share, 1e-4);
    }
    EXPECT_EQ(subject.page({}, 3).run, page.run) << "whatever the number of threads";
}

TEST(ReportPage, JudgesWithTheTemperature) {
    const Subject subject;
    const Json judgement = subject.run()["judgement"];
    EXPECT_EQ(judgement["on"], "test");
    EXPECT_EQ(judgement["nodes"], 60);
    EXPECT_EQ(subject.run()["calibration_labels"],
              0);  // the scores of this manifest have no validation nodes
    EXPECT_NEAR(judgement["raw_ece"], 100.0 * subject.manifest.result->test.ece, 1e-9);
    EXPECT_NE(judgement["ece"], judgement["raw_ece"]);
    EXPECT_EQ(judgement["confusion"], Json(subject.manifest.result->test.confusion));
}

TEST(ReportPage, WithoutOtherLabelsThoseHeldOutInTurnJudge) {
    Subject subject;
    subject.split.validation.clear();
    subject.split.test.clear();
    EXPECT_TRUE(subject.run()["judgement"].is_null());
    Choice choice;
    choice.tried.resize(1);
    choice.tried[0].method = "gcn";
    choice.tried[0].held_out =
        compute_metrics(subject.probabilities, subject.graph.dataset.labels, subject.split.train);
    subject.manifest.choice = choice;
    const Json judgement = subject.run()["judgement"];
    EXPECT_EQ(judgement["on"], "held_out");
    EXPECT_EQ(judgement["nodes"], 15);
    EXPECT_FALSE(judgement.contains("reliability"));
    EXPECT_FALSE(judgement["raw_reliability"].empty());
    Metrics folded;
    folded.count = 15;
    folded.ece = 0.125;
    folded.reliability = {{0.5, 0.6, 0, 0, 0}, {0.6, 0.7, 15, 0.65, 0.8}};
    subject.manifest.choice->calibrated = folded;
    const Json calibrated = subject.run()["judgement"];
    EXPECT_EQ(calibrated["ece"], 12.5);
    ASSERT_EQ(calibrated["reliability"].size(), 1U);
    EXPECT_EQ(calibrated["reliability"][0]["accuracy"], 80.0);
    EXPECT_EQ(calibrated["raw_reliability"], judgement["raw_reliability"]);
}

TEST(ReportPage, TheSameAtAnyThreadCount) {
    const Subject subject;
    EXPECT_EQ(report_html(subject.page({}, 1)), report_html(subject.page({}, 3)));
}

TEST(ReportPage, NamesFromOutsideStayText) {
    Dataset dataset = Subject::dataset();
    dataset.name = "</title><script>alert('name')</script>";
    dataset.class_names[1] = "</script><script>alert('class')</script>";
    for (Index node = 0; node < dataset.nodes; ++node)
        dataset.node_ids.push_back("<!--<script>" + std::to_string(node) + "\xff");
    const Subject subject("hwgcn", std::move(dataset));
    const std::string html = report_html(subject.page());
    EXPECT_EQ(html.find("<script>alert"), std::string::npos);
    EXPECT_EQ(html.find("<!--<script>"), std::string::npos);
    EXPECT_NE(html.find("\\u003c/script>\\u003cscript>alert('class')"), std::string::npos);
    EXPECT_NE(html.find("&lt;/title&gt;&lt;script&gt;alert("), std::string::npos);
}

TEST(ReportPage, NamesFromOutsideAreNoPlacesOfThePage) {
    Dataset dataset = Subject::dataset();
    dataset.name = "{{data}}{{script}}";
    const std::string html = report_html(Subject("gcn", std::move(dataset)).page());
    EXPECT_NE(html.find("<title>{{data}}{{script}}: GCN</title>"), std::string::npos);
}

TEST(ReportPage, AsksNobodyForAnything) {
    const std::string html = report_html(Subject().page());
    for (const char* const place : {"src=\"", "href=\"http", "@import", "url(http", "fetch(\"http"})
        EXPECT_EQ(html.find(place), std::string::npos) << place;
    EXPECT_NE(html.find("default-src 'none'"), std::string::npos);
    EXPECT_EQ(html.find("{{"), std::string::npos) << html.substr(html.find("{{"), 40);
}

const std::string evaluation = R"({"dataset":"cora","split":"random:5","runs":2,"results":[
    {"method":"gcn","mean":70.5,"ci95":2.0,"accuracies":[70,71],"paired":null},
    {"method":"hwgcn","mean":99.5,"ci95":1.0,"accuracies":[99,100],
     "paired":{"against":"gcn","mean_difference":29,"p_value":0.01}}]})";

TEST(ReportPage, ShowsAResultOfEvaluate) {
    ReportPage page;
    add_result(page, "r.json", evaluation);
    EXPECT_EQ(page.title, "cora: methods compared");
    const Json group = Json::parse(page.results.at(0))["groups"][0];
    EXPECT_EQ(group["name"], "cora, random:5");
    EXPECT_EQ(group["rows"][0]["low"], 68.5);
    EXPECT_EQ(group["rows"][1]["high"], 100.0);  // not above
    EXPECT_EQ(group["rows"][1]["difference"], 29);
    EXPECT_NE(report_html(page).find("\"run\":null"), std::string::npos);
}

TEST(ReportPage, ResultsOfOtherDataAreMentioned) {
    const Subject subject;
    ReportPage page;
    const auto result_of = [](const std::string& data) {
        return R"({"dataset":"d","split":"s","runs":1,"results":[],"dataset_sha256":")" + data + "\"}";
    };
    add_result(page, "same.json", result_of(subject.manifest.dataset_hash));
    add_result(page, "other.json", result_of("0123"));
    add_run(page,
            {subject.manifest, subject.graph, subject.split, subject.probabilities, subject.model.history,
             subject.weights, &*subject.explainer},
            {1});
    ASSERT_EQ(page.notes.size(), 1U);
    EXPECT_EQ(page.notes[0],
              "other.json was measured on other data than this run: do not compare their numbers.");
}

TEST(ReportPage, ShowsAReproductionAsGroupsAndCurves) {
    ReportPage page;
    add_result(page, "r.json", R"({"target":"orders","cells":[
        {"dataset":"cora","method":"gcn","setting":"random:5, K=1","ours":70,"std":2,"runs":4,"paper":71.5},
        {"dataset":"cora","method":"hwgcn","setting":"random:5, K=2","ours":72,"std":2,"runs":4,"paper":null},
        {"dataset":"cora","method":"hwgcn","setting":"random:5, powers up to K=2","ours":71,"std":0,"runs":1,"paper":null},
        {"dataset":"cora","method":"gcn","setting":"fixed","ours":81,"std":0,"runs":1,"paper":81.5}]})");
    const Json result = Json::parse(page.results.at(0));
    ASSERT_EQ(result["curves"].size(), 2U);
    EXPECT_EQ(result["curves"][0]["name"], "cora, random:5");
    EXPECT_EQ(result["curves"][1]["name"], "cora, random:5, powers");
    EXPECT_FALSE(result["curves"][1]["rows"][0].contains("low"));  // one run has no interval
    EXPECT_EQ(result["curves"][0]["rows"][1]["order"], 2);
    EXPECT_NEAR(result["curves"][0]["rows"][0]["high"], 70 + 3.182446, 1e-5);  // t of 3 degrees: 3.182
    EXPECT_FALSE(result["curves"][0]["rows"][1].contains("paper"));
    EXPECT_EQ(result["groups"][0]["rows"][0]["paper"], 81.5);
}

TEST(ReportPage, RefusesWhatIsNoResult) {
    ReportPage page;
    const auto fails = [&](const std::string& text, const std::string& why) {
        expect_input_error([&] { add_result(page, "r.json", text); },
                           {"r.json: is no result of hwgcn evaluate or hwgcn reproduce in JSON: ", why});
    };
    fails("", "it is empty");
    fails("{}", "it has neither results nor cells");
    fails("[1,2]", "it has neither results nor cells");
    fails(R"({"settings_sha256":"12"})", "it belongs to a run, whose folder is what report takes");
    fails(R"({"results":[{"method":3}],"dataset":"d"})", "json");
    fails(R"({"cells":[{"dataset":"d"}]})", "json");
    const auto is_not_json = [&](const std::string& text, const std::string& why) {
        expect_input_error([&] { add_result(page, "r.json", text); },
                           {"r.json: ", why, "; the file is no result of hwgcn evaluate"});
    };
    is_not_json("id,label", "byte 0: not valid JSON: ");
    is_not_json(R"({"results":)" + std::string(160'000, '[') + std::string(160'000, ']') + "}",
                "nested deeper");
    EXPECT_TRUE(page.results.empty());
}

TEST(Base64, IsThatOfTheStandard) {
    const auto encoded = [](std::string_view text) { return base64(std::as_bytes(std::span(text))); };
    EXPECT_EQ(encoded(""), "");
    EXPECT_EQ(encoded("f"), "Zg==");
    EXPECT_EQ(encoded("fo"), "Zm8=");
    EXPECT_EQ(encoded("foobar"), "Zm9vYmFy");
    std::string longer(7'000'001, 'x');  // several pieces
    longer[4'000'000] = 'y';
    const auto back = unpacked<char>(encoded(longer));
    EXPECT_EQ(std::string(back.begin(), back.end()), longer);
}

}  // namespace
}  // namespace hwgcn::report_page_test
