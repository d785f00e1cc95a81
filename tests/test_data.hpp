#pragma once

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>

#include <gtest/gtest.h>
#include <unistd.h>

namespace hwgcn::testing {

/// The folder with the real datasets: $HWGCN_DATA, else ../shared/data next to the checkout; empty where
/// there is none.
inline std::filesystem::path real_data_directory() {
    const char* variable = std::getenv("HWGCN_DATA");
    const std::filesystem::path directory =
        variable != nullptr ? variable : std::filesystem::path(HWGCN_SOURCE_DIR) / ".." / "shared" / "data";
    return std::filesystem::is_directory(directory) ? directory : std::filesystem::path();
}

/// A folder of its own for one test, removed at the end.
class TemporaryDirectory {
  public:
    TemporaryDirectory() {
        std::string name = (std::filesystem::temp_directory_path() / "hwgcn-test-XXXXXX").string();
        path_ = ::mkdtemp(name.data());
    }
    ~TemporaryDirectory() {
        std::error_code ignored;
        std::filesystem::remove_all(path_, ignored);
    }
    TemporaryDirectory(const TemporaryDirectory&) = delete;
    TemporaryDirectory& operator=(const TemporaryDirectory&) = delete;

    const std::filesystem::path& path() const { return path_; }
    std::filesystem::path operator/(const std::string& name) const { return path_ / name; }

  private:
    std::filesystem::path path_;
};

/// Puts a text into a file, for tests that do so thousands of times: not synced, unlike all that the program
/// writes.
inline void write_plainly(const std::filesystem::path& file, std::string_view text) {
    std::ofstream(file, std::ios::binary) << text;
}

}  // namespace hwgcn::testing

/// First line of a test that needs real data: `const auto data = HWGCN_REAL_DATA();`
#define HWGCN_REAL_DATA()                                                         \
    ::hwgcn::testing::real_data_directory();                                      \
    if (::hwgcn::testing::real_data_directory().empty()) {                        \
        GTEST_SKIP() << "skipped: no real data (set HWGCN_DATA to their folder)"; \
    }
