#include "beyond_tables.hpp"

#include <algorithm>
#include <array>
#include <iterator>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "paper_targets.hpp"
#include "report/markdown.hpp"
#include "run_columns.hpp"
#include "run_statistics.hpp"

namespace hwgcn::experiments {
namespace {

using Results = std::vector<SettingResults>;

const std::string none = "–";

std::vector<std::string> datasets_of(const Results& results) {
    std::vector<std::string> datasets;
    for (const SettingResults& one : results) {
        if (datasets.empty() || datasets.back() != one.dataset) datasets.push_back(one.dataset);
    }
    return datasets;
}

Results of_dataset(const Results& results, const std::string& dataset) {
    Results some;
    std::ranges::copy_if(results, std::back_inserter(some),
                         [&](const SettingResults& one) { return one.dataset == dataset; });
    return some;
}

std::string one_decimal(std::optional<double> percent) {
    return percent ? fmt::format("{:.1f}", *percent) : none;
}

// "83.0 / 81.7 / 79.8 / 74.6": a number per setting.
template <typename Number>
std::string joined(const Results& results, const Number& number) {
    std::string text;
    for (const SettingResults& one : results)
        text += (text.empty() ? "" : " / ") + number(one);
    return text;
}

template <typename Number>
void add_short_row(const Results& results, const std::string& name, const Number& number,
                   MarkdownTable& table) {
    std::vector<std::string> row = {name};
    bool any = false;
    for (const std::string& dataset : datasets_of(results)) {
        row.push_back(joined(of_dataset(results, dataset), number));
        any = any || row.back().find_first_of("0123456789") != std::string::npos;
    }
    if (any) table.rows.push_back(std::move(row));
}

// Everything in one table.
std::string summary_table(const Results& results) {
    MarkdownTable table{{{"recipe"}}, {}};
    for (const std::string& dataset : datasets_of(results))
        table.columns.push_back({dataset_title(dataset), true});
    for (const std::string_view method : stronger_methods()) {
        const auto number = [&](const SettingResults& one) {
            return one_decimal(authors_accuracy(one.dataset, method, one.setting));
        };
        add_short_row(results, fmt::format("{} (its authors)", method), number, table);
    }
    const auto best = [](const SettingResults& one) {
        return one_decimal(paper_best(one.dataset, one.setting));
    };
    add_short_row(results, "the paper's best", best, table);
    for (std::size_t r = 0; r < results.front().rows.size(); ++r) {
        const auto number = [&](const SettingResults& one) {
            const MethodResult& learned = one.rows[r].learned;
            if (learned.runs.empty()) return none;
            return fmt::format("{:.1f}{}", learned.accuracy().mean,
                               learned.accuracy().count < one.asked ? "†" : "");
        };
        add_short_row(results, results.front().rows[r].recipe.name, number, table);
    }
    const auto title = [](const SettingResults& one) { return setting_title(one.setting); };
    return markdown_heading(2, "In short") +
           fmt::format(
               "Mean test accuracy in percent: {}.\n†: fewer runs than asked for; the tables below have "
               "their number.\n\n",
               joined(of_dataset(results, results.front().dataset), title)) +
           markdown_text(table);
}

std::string labels_title(const std::string& setting) {
    return setting == "fixed" ? setting : setting.substr(setting.find(':') + 1);
}

std::string against(double mean, std::optional<double> other) {
    return other ? fmt::format("{:+.2f}", mean - *other) : none;
}

std::string graph_table(const Results& results) {
    MarkdownTable table{{{"labels", true},
                         {"recipe"},
                         {"runs", true},
                         {"accuracy", true},
                         {"by loss", true},
                         {"reference", true},
                         {"paper", true},
                         {"seconds", true},
                         {"MB", true}},
                        {}};
    for (const SettingResults& one : results) {
        for (const RecipeResult& row : one.rows) {
            if (row.learned.runs.empty()) continue;
            const std::optional<double> by_loss = row.learned.alternative_accuracy();
            const double mean = row.learned.accuracy().mean;
            table.rows.push_back({labels_title(one.setting), row.recipe.name,
                                  runs_text(row.learned.accuracy().count, one.asked),
                                  accuracy_text(row.learned.accuracy()),
                                  by_loss ? fmt::format("{:.2f}", *by_loss) : none,
                                  one_decimal(recipe_accuracy(one.dataset, row.recipe.name, one.setting)),
                                  against(mean, paper_best(one.dataset, one.setting)),
                                  seconds_text(row.learned), memory_text(row.learned)});
        }
    }
    return markdown_text(table);
}

// What the runs show: nothing where the interval of the gain has zero in it.
enum class Verdict { helps, nothing, hurts };

struct Verdicts {
    std::array<int, 3> count = {0, 0, 0};
};

Verdict verdict_on(const PairedComparison& gain) {
    if (gain.mean_difference - gain.ci95 > 0) return Verdict::helps;
    return gain.mean_difference + gain.ci95 < 0 ? Verdict::hurts : Verdict::nothing;
}

std::string operator_table(const Results& results, Verdicts& verdicts) {
    static constexpr std::array<const char*, 3> words = {"helps", "no difference", "hurts"};
    MarkdownTable table{{{"labels", true},
                         {"recipe"},
                         {"runs", true},
                         {"plain graph", true},
                         {"operator adds", true},
                         {"95 % interval", true},
                         {"verdict"}},
                        {}};
    for (const SettingResults& one : results) {
        for (const RecipeResult& row : one.rows) {
            const SharedRuns shared = shared_runs(row.learned, row.plain);
            if (shared.ours.size() < 2) continue;
            const auto verdict =
                static_cast<std::size_t>(verdict_on(compare_paired(shared.ours, shared.other)));
            ++verdicts.count[verdict];
            const std::vector<std::string> gain = gain_cells(row.learned, row.plain);
            table.rows.push_back({labels_title(one.setting), row.recipe.name,
                                  runs_text(static_cast<int>(shared.ours.size()), one.asked),
                                  accuracy_text(summarize(shared.other)), gain[0], gain[1], words[verdict]});
        }
    }
    return table.rows.empty() ? "" : "\n" + markdown_text(table);
}

std::string verdicts_text(const Verdicts& verdicts) {
    const auto [helps, nothing, hurts] = verdicts.count;
    if (helps + nothing + hurts == 0) return "";
    return fmt::format(
        "\nOf {} comparisons with the plain graph, the operator helps in {}, hurts in {}, and makes no "
        "difference\nthat these runs can show in {} (the 95 % interval of the paired difference has zero in "
        "it).\n",
        helps + nothing + hurts, helps, hurts, nothing);
}

// "3 / 90 / 7": how often each variant was chosen.
std::string counts_text(const Recipe& recipe, const MethodResult& result) {
    std::string text;
    for (const std::string& variant : recipe.variants) {
        text += fmt::format("{}{}", text.empty() ? "" : " / ",
                            std::ranges::count(result.runs, variant, &RunResult::chosen));
    }
    return text;
}

std::string variants_table(const Results& results) {
    MarkdownTable table{
        {{"graph"}, {"labels", true}, {"recipe"}, {"learned operator", true}, {"plain graph", true}}, {}};
    std::string variants;
    for (const SettingResults& one : results) {
        for (const RecipeResult& row : one.rows) {
            if (row.recipe.variants.size() < 2 || row.learned.runs.empty()) continue;
            table.rows.push_back({dataset_title(one.dataset), labels_title(one.setting), row.recipe.name,
                                  counts_text(row.recipe, row.learned), counts_text(row.recipe, row.plain)});
            variants = fmt::format("`{}`", fmt::join(row.recipe.variants, "` / `"));
        }
    }
    if (table.rows.empty()) return "";
    return fmt::format(
               "`hwgrand-chosen` is, run by run, the variant with the best validation accuracy (of equal "
               "ones, that with the\nlowest validation loss). A variant that was chosen in none of the first "
               "{} runs is not trained further. Number of\nruns of {}:\n\n",
               scouting_runs, variants) +
           markdown_text(table);
}

std::string choices_table(const Results& results) {
    MarkdownTable table{{{"graph"}, {"labels", true}, {"recipe"}, {"chosen"}, {"runs", true}}, {}};
    for (const SettingResults& one : results) {
        for (const RecipeResult& row : one.rows) {
            if (row.recipe.has_control) continue;
            for (const auto& [label, count] : row.learned.choices()) {
                table.rows.push_back({dataset_title(one.dataset), labels_title(one.setting), row.recipe.name,
                                      label, fmt::to_string(count)});
            }
        }
    }
    return table.rows.empty() ? "" : "\nWhat `auto` chose:\n\n" + markdown_text(table);
}

std::string choices(const Results& results) {
    const std::string text = variants_table(results) + choices_table(results);
    return text.empty() ? "" : "\n" + markdown_heading(2, "What validation chose") + text;
}

std::string fresh_table(const Results& results) {
    MarkdownTable table{{{"labels", true},
                         {"recipe"},
                         {"accuracy", true},
                         {"runs", true},
                         {fmt::format("from {} on", fresh_seeds), true},
                         {"difference", true},
                         {"95 % interval", true}},
                        {}};
    for (const SettingResults& one : results) {
        for (std::size_t r = 0; r < one.fresh.size(); ++r) {
            const MethodResult& fresh = one.fresh[r].learned;
            if (fresh.runs.empty() || one.rows[r].learned.runs.empty()) continue;
            const SampleSummary known = one.rows[r].learned.accuracy();
            const auto change = compare_means(fresh.accuracy(), known);
            table.rows.push_back({labels_title(one.setting), one.fresh[r].recipe.name, accuracy_text(known),
                                  fmt::to_string(fresh.accuracy().count), accuracy_text(fresh.accuracy()),
                                  against(fresh.accuracy().mean, known.mean),
                                  change
                                      ? fmt::format("{:+.2f} .. {:+.2f}", change->difference - change->ci95,
                                                    change->difference + change->ci95)
                                      : none});
        }
    }
    return table.rows.empty() ? "" : markdown_text(table);
}

std::string confirmation(const Results& results) {
    std::string text;
    for (const std::string& dataset : datasets_of(results)) {
        const std::string table = fresh_table(of_dataset(results, dataset));
        if (!table.empty()) text += "\n" + markdown_heading(3, dataset_title(dataset)) + table;
    }
    if (text.empty()) return "";
    return "\n" + markdown_heading(2, fmt::format("Seeds from {} on", fresh_seeds)) +
           "The recipes were found on these graphs. These runs have seeds that nobody had looked at: other "
           "parameters on\nthe fixed split, other splits elsewhere. The interval is that of a difference of "
           "independent means (Welch).\n" +
           text;
}

}  // namespace

std::string beyond_text(const Results& results) {
    Verdicts verdicts;
    std::string graphs;
    for (const std::string& dataset : datasets_of(results)) {
        const Results of_graph = of_dataset(results, dataset);
        graphs += "\n" + markdown_heading(2, dataset_title(dataset)) + graph_table(of_graph) +
                  operator_table(of_graph, verdicts);
    }
    return summary_table(results) + verdicts_text(verdicts) +
           "\nIn the tables of the graphs, \"labels\" is the number of labels per class; \"by loss\" the "
           "accuracy, had the epochs been\nselected by validation loss; \"reference\" an independent "
           "measurement of the same recipe; \"paper\" the difference to the\npaper's best.\n" +
           cost_columns_text() + graphs + choices(results) + confirmation(results);
}

}  // namespace hwgcn::experiments
