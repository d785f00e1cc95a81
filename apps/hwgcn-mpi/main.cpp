#include <algorithm>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "hwgcn/base/error.hpp"
#include "hwgcn/base/version.hpp"

#include "base/files/input_file.hpp"
#include "cluster_command.hpp"
#include "command.hpp"
#include "distributed/peers/peers.hpp"
#include "environment.hpp"
#include "failure.hpp"
#include "interrupt.hpp"
#include "method_options.hpp"
#include "mpi_peers.hpp"
#include "output.hpp"
#include "process_table.hpp"
#include "program_name.hpp"
#include "terminate.hpp"
#include "usage.hpp"

namespace hwgcn::cluster {
namespace {

void print_once(const Peers& peers, const std::string& text) {
    if (peers.rank() == 0) cli::write_standard_output(text);
}

// Processes of another program or with other options would wait for each other forever.
void expect_same_program(Peers& peers, int argc, const char* const* argv) {
    std::string arguments;
    for (int k = 1; k < argc; ++k)
        arguments += std::string(argv[k]) + '\0';
    expect_same(peers, "version of the program", std::string(version()));
    expect_same(peers, "command line", arguments);
}

int run_program(const Place& place, int argc, const char* const* argv) {
    Peers& peers = place.peers;
    CLI::App program("hwgcn on several machines: start it by mpirun or srun, one process per machine.",
                     "hwgcn-mpi");
    cli::set_up_program(program);
    program.set_version_flag("--version", fmt::format("hwgcn-mpi {}", version()), "the version");
    program.footer("For the options of a command: hwgcn-mpi COMMAND --help");
    std::vector<cli::Command> commands;
    add_shard_command(program, commands, place);
    add_weights_command(program, commands, place);
    add_train_command(program, commands, place);
    add_predict_command(program, commands, place);
    add_evaluate_command(program, commands, place);

    expect_same_program(peers, argc, argv);
    try {
        program.parse(argc, argv);
    } catch (const CLI::CallForHelp&) {
        print_once(peers, program.help());
        return cli::exit_status::success;
    } catch (const CLI::CallForAllHelp&) {
        cli::describe_methods(cli::chosen_command(program));
        print_once(peers, program.help("", CLI::AppFormatMode::All));
        return cli::exit_status::success;
    } catch (const CLI::CallForVersion& call) {
        print_once(peers, fmt::format("{} ({})\n", call.what(),
                                      process_count(static_cast<std::size_t>(peers.size()))));
        return cli::exit_status::success;
    } catch (const CLI::ParseError& error) {
        throw InputError(cli::message_for(error));
    }
    cli::reject_leftovers(program);
    const CLI::App* const chosen = &cli::chosen_command(program);
    const auto command = std::ranges::find(commands, chosen, &cli::Command::syntax);
    if (command == commands.end()) {
        print_once(peers, program.help());
        return cli::exit_status::wrong_usage;
    }
    return command->run();
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
            return cluster::run_program({*peers, session.node()}, argc, argv);
        });
    } catch (const std::exception& error) {
        cli::say("error", error.what());
        return cli::exit_status::failed_run;
    }
}
