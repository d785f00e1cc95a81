#include <array>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "hwgcn/base/version.hpp"

#include "base/files/input_file.hpp"
#include "environment.hpp"
#include "execution_context.hpp"
#include "failure.hpp"
#include "interrupt.hpp"
#include "mpi_peers.hpp"
#include "output.hpp"
#include "program.hpp"
#include "program_name.hpp"
#include "several_processes.hpp"
#include "terminate.hpp"
#include "usage.hpp"

namespace hwgcn::cluster {
namespace {

constexpr std::array<std::pair<const char*, const char*>, 5> examples = {{
    {"shard",
     "  mpirun -n 8 --map-by ppr:1:node hwgcn-mpi shard --edges edges.csv --nodes nodes.csv --out DATA"},
    {"weights",
     "  mpirun -n 8 --map-by ppr:1:node --bind-to none hwgcn-mpi weights DATA --order 2 --cache-dir W\n"
     "  hwgcn train DATA --cache-dir W               uses them"},
    {"train",
     "  mpirun -n 4 hwgcn-mpi train DATA --method hwgcn --cache-dir W --out RUN\n"
     "  srun --mpi=pmix -N 8 hwgcn-mpi train DATA --method gcn --split shares:60:20 --out RUN"},
    {"predict", "  mpirun -n 4 hwgcn-mpi predict RUN --cache-dir W --out predictions.csv"},
    {"evaluate",
     "  mpirun -n 4 hwgcn-mpi evaluate DATA --method gcn,hwgcn --split random:20 --runs 10 --cache-dir W"},
}};

// Processes of another program or with other options would wait for each other forever.
void expect_same_program(Peers& peers, std::span<char* const> arguments) {
    std::string words;
    for (const char* const argument : arguments.subspan(1))
        words += std::string(argument) + '\0';
    expect_same(peers, "version of the program", std::string(version()));
    expect_same(peers, "command line", words);
}

int run_arguments(Peers& peers, const std::string& node, std::span<char* const> arguments) {
    if (peers.rank() != 0) cli::mute();
    const auto context = several_processes(peers, node);
    CLI::App program("hwgcn on several machines: start it by mpirun or srun, one process per machine.",
                     "hwgcn-mpi");
    cli::set_up_program(program);
    program.set_version_flag("--version",
                             fmt::format("hwgcn-mpi {} ({})", version(), cli::process_count(peers.size())),
                             "the version");
    program.footer("For the options of a command: hwgcn-mpi COMMAND --help");
    std::vector<cli::Command> commands;
    cli::add_shard_command(program, commands, *context);
    cli::add_weights_command(program, commands, *context);
    cli::add_train_command(program, commands, *context);
    cli::add_predict_command(program, commands, *context);
    cli::add_evaluate_command(program, commands, *context);
    for (const auto& [command, example] : examples)
        program.get_subcommand(command)->footer(std::string("Examples:\n") + example);
    expect_same_program(peers, arguments);
    return cli::run_command(program, commands, arguments);
}

}  // namespace
}  // namespace hwgcn::cluster

int main(int argc, char** argv) {
    using namespace hwgcn;
    cli::set_program_name("hwgcn-mpi");
    cli::exit_instead_of_abort();
    try {
        cli::open_standard_descriptors();
        cluster::MpiSession session;
        cli::install_signal_handlers();  // after MPI, which has handlers of its own
        return cluster::run_on_all(session, [&] {
            set_stream_limit(cli::chosen_stream_limit());
            const auto peers = session.peers();
            return cluster::run_arguments(*peers, session.node(), {argv, static_cast<std::size_t>(argc)});
        });
    } catch (const std::exception& error) {
        cli::say("error", error.what());
        return cli::exit_status::failed_run;
    }
}
