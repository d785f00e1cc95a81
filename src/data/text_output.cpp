#include "data/text_output.hpp"

#include <cerrno>
#include <cstring>

#include "hwgcn/support/error.hpp"

#include "support/atomic_file.hpp"

namespace hwgcn {

void write_text_file(const std::filesystem::path& target, const std::function<void(TextOutput&)>& write) {
    write_atomically(target, [&](const std::filesystem::path& temporary) {
        std::ofstream file(temporary, std::ios::binary);
        TextOutput output(file);
        write(output);
        output.flush();
        file.close();
        if (!file) throw RunError(fmt::format("{}: cannot write: {}", target.string(), std::strerror(errno)));
    });
}

}  // namespace hwgcn
