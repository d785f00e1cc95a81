#include <array>
#include <memory>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "hwgcn/dataset/split.hpp"

#include "base/parameter.hpp"
#include "command.hpp"
#include "common_options.hpp"
#include "output.hpp"
#include "parameters.hpp"
#include "tables.hpp"
#include "usage.hpp"

namespace hwgcn::cli {
namespace {

struct SplitOptions {
    CommonOptions common;
    DatasetOptions dataset;
    std::string split = "random:20";
    std::uint64_t seed = 0;
    std::filesystem::path out;
};

const std::vector<Parameter<SplitOptions>>& split_parameters() {
    static const std::vector<Parameter<SplitOptions>> table = {
        number_parameter("seed", &SplitOptions::seed, Range<std::uint64_t>{0}, "S", "of a random split"),
    };
    return table;
}

// Nodes per class in the train, validation and test lists.
std::vector<std::array<std::int64_t, 3>> class_counts(const Dataset& dataset, const Split& split) {
    std::vector<std::array<std::int64_t, 3>> counts(dataset.class_names.size());
    const std::array<const std::vector<Index>*, 3> lists = {&split.train, &split.validation, &split.test};
    for (std::size_t part = 0; part < lists.size(); ++part) {
        for (const Index node : *lists[part])
            ++counts[dataset.labels[node]][part];
    }
    return counts;
}

int run_split(const SplitOptions& options) {
    check_outputs({json_output(options.common), {"--out", options.out}},
                  input_files(options.dataset, options.common, options.split));
    const CommandExecution run(options.common);
    const Dataset dataset = load(options.dataset, options.common, run.control());
    const Split split = make_split(dataset, options.split, options.seed);
    const std::string hash = split_hash(split, dataset);
    if (!options.out.empty()) write_split(options.out, split, dataset);

    Json classes = Json::array();
    Table table({{"class", Align::left}, {"train"}, {"validation"}, {"test"}});
    const auto counts = class_counts(dataset, split);
    for (std::size_t label = 0; label < counts.size(); ++label) {
        const auto& [train, validation, test] = counts[label];
        table.add(
            {printable(dataset.class_names[label], 40), grouped(train), grouped(validation), grouped(test)});
        classes.push_back({{"name", dataset.class_names[label]},
                           {"train", train},
                           {"validation", validation},
                           {"test", test}});
    }
    const auto size = [](const std::vector<Index>& list) { return static_cast<std::int64_t>(list.size()); };
    table.add(
        {"all", grouped(size(split.train)), grouped(size(split.validation)), grouped(size(split.test))});
    const Json json = {{"dataset", dataset.name},     {"split", split.name},
                       {"seed", options.seed},        {"hash", hash},
                       {"train", split.train.size()}, {"validation", split.validation.size()},
                       {"test", split.test.size()},   {"classes", classes},
                       {"out", options.out.string()}};
    std::string text = fmt::format("{}: {}\n{}\nhash {}\n", printable(dataset.name),
                                   printable(split.name, 200), table.text(), hash);
    if (!options.out.empty()) text += fmt::format("Written: {}\n", options.out.string());
    deliver(text, json, options.common.json);
    return exit_status::success;
}

}  // namespace

void add_data_split_command(CLI::App& data, std::vector<Command>& commands) {
    const auto options = std::make_shared<SplitOptions>();
    CLI::App& command =
        add_command(data, "split", "Draw, check or save a split into train, validation and test.",
                    "  hwgcn data split cora --split random:20 --seed 1 --out split.json\n"
                    "  hwgcn data split cora --split planetoid");
    add_dataset_options(command, options->dataset);
    command
        .add_option(
            "--split", options->split,
            "planetoid; random:PER_CLASS or random:PER_CLASS:VALIDATION:TEST; or a file (default random:20)")
        ->type_name("S");
    add_parameter_options(command, split_parameters(), *options);
    command.add_option("--out", options->out, "write it, with the original node ids")->type_name("FILE");
    add_common_options(command, options->common);
    commands.push_back({&command, [options] { return run_split(*options); }});
}

}  // namespace hwgcn::cli
