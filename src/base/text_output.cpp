#include "base/text_output.hpp"

namespace hwgcn {

void write_text_file(const std::filesystem::path& target, const std::function<void(TextOutput&)>& write) {
    write_atomically(target, [&](OutputFile& file) {
        TextOutput output(file);
        write(output);
        output.flush();
    });
}

}  // namespace hwgcn
