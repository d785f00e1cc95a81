#include "run_program.hpp"

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <stdexcept>

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>

namespace hwgcn::testing {
namespace {

std::vector<char*> pointers(std::vector<std::string>& texts) {
    std::vector<char*> result;
    for (std::string& text : texts)
        result.push_back(text.data());
    result.push_back(nullptr);
    return result;
}

}  // namespace

std::string program_path() {
    const char* const other = std::getenv("HWGCN_PROGRAM");
    return other != nullptr ? other : HWGCN_PROGRAM;
}

std::ostream& operator<<(std::ostream& stream, const Outcome& outcome) {
    return stream << "exit status " << outcome.status << "\nstdout:\n"
                  << outcome.out << "\nstderr:\n"
                  << outcome.err;
}

std::string content_of(const std::filesystem::path& file) {
    std::ifstream in(file, std::ios::binary);
    std::ostringstream content;
    content << in.rdbuf();
    return std::move(content).str();
}

std::vector<std::string> with_defaults(std::vector<std::string> words,
                                       const std::vector<std::pair<std::string, std::string>>& defaults) {
    const std::set<std::string> given(words.begin(), words.end());
    for (const auto& [name, value] : defaults) {
        if (!given.contains(name)) words.insert(words.end(), {name, value});
    }
    return words;
}

User::User() {
    std::filesystem::create_directories(work());
}

pid_t User::start(const std::vector<std::string>& arguments,
                  const std::vector<std::string>& extra_environment) const {
    const std::string program = program_path();
    std::vector<std::string> words = {program};
    words.insert(words.end(), arguments.begin(), arguments.end());
    std::vector<std::string> environment = {
        "HOME=" + home_.path().string(), "XDG_CACHE_HOME=" + (home_ / "cache").string(),
        "XDG_DATA_HOME=" + (home_ / "data").string(), "PATH=/usr/bin:/bin"};
    environment.insert(environment.end(), extra_environment.begin(), extra_environment.end());

    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    const std::string out = (home_ / "stdout").string();
    const std::string err = (home_ / "stderr").string();
    constexpr int create = O_WRONLY | O_CREAT | O_TRUNC;
    posix_spawn_file_actions_addchdir_np(&actions, work().c_str());
    posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_addopen(&actions, 1, out.c_str(), create, 0600);
    posix_spawn_file_actions_addopen(&actions, 2, err.c_str(), create, 0600);
    pid_t process = -1;
    const int error = posix_spawn(&process, program.c_str(), &actions, nullptr, pointers(words).data(),
                                  pointers(environment).data());
    posix_spawn_file_actions_destroy(&actions);
    if (error != 0) throw std::runtime_error("cannot start " + program);
    return process;
}

Outcome User::finish(pid_t process) const {
    int status = 0;
    waitpid(process, &status, 0);
    return {WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status), content_of(home_ / "stdout"),
            content_of(home_ / "stderr")};
}

Outcome User::run(const std::vector<std::string>& arguments,
                  const std::vector<std::string>& extra_environment) const {
    return finish(start(arguments, extra_environment));
}

nlohmann::json User::run_json(std::vector<std::string> arguments, int status) const {
    arguments.insert(arguments.end(), {"--json", "-"});
    const Outcome outcome = run(arguments);
    EXPECT_EQ(outcome.status, status) << outcome;
    return nlohmann::json::parse(outcome.out);
}

std::set<std::string> User::files() const {
    std::set<std::string> names;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(home_.path())) {
        const std::string name = std::filesystem::relative(entry.path(), home_.path()).string();
        if (name != "stdout" && name != "stderr") names.insert(name);
    }
    return names;
}

void User::write(const std::string& name, const std::string& content) const {
    std::ofstream(work() / name, std::ios::binary) << content;
}

std::vector<std::string> with_order(std::vector<std::string> arguments, const std::string& order) {
    if (std::ranges::find(arguments, "--order") != arguments.end()) return arguments;
    const auto method = std::ranges::find(arguments, "--method");
    const std::string names = method == arguments.end() ? "hwgcn" : *(method + 1);
    const bool reads_it = names.find("hw") != std::string::npos || names.find("auto") != std::string::npos;
    if (reads_it) arguments.insert(arguments.end(), {"--order", order});
    return arguments;
}

}  // namespace hwgcn::testing
