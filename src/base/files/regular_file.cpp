#include "base/files/regular_file.hpp"

#include <system_error>

#include "base/fail.hpp"
#include "base/files/input_file.hpp"

namespace hwgcn {

void expect_regular_file(const std::filesystem::path& file) {
    namespace fs = std::filesystem;
    std::error_code ignored;
    const fs::file_status status = fs::status(file, ignored);
    if (fs::exists(status) && !fs::is_regular_file(status) && !fs::is_directory(status))
        fail_in_file(file.string(), "is not a regular file, as it has to be");
}

std::string read_regular_file(const std::filesystem::path& file) {
    expect_regular_file(file);
    return read_file(file);
}

}  // namespace hwgcn
