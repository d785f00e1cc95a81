#include "command.hpp"
#include "usage.hpp"

namespace hwgcn::cli {

void add_data_commands(CLI::App& program, std::vector<Command>& commands) {
    CLI::App& data = add_command(program, "data", "List, download, convert and split datasets.", "");
    data.require_subcommand(0, 1);
    add_data_list_command(data, commands);
    add_data_fetch_command(data, commands);
    add_data_export_command(data, commands);
    add_data_split_command(data, commands);
}

}  // namespace hwgcn::cli
