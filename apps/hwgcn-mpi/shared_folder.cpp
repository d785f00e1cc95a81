#include "shared_folder.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <random>
#include <system_error>
#include <thread>
#include <vector>

#include <fmt/format.h>

#include "hwgcn/base/error.hpp"

#include "base/files/output_file.hpp"

namespace hwgcn::cluster {
namespace {

namespace fs = std::filesystem;

// Machines keep what they know of a network folder for a while.
bool appears(const fs::path& file) {
    constexpr auto longest = std::chrono::seconds(5);
    const auto end = std::chrono::steady_clock::now() + longest;
    std::error_code ignored;
    while (!fs::exists(file, ignored)) {
        if (std::chrono::steady_clock::now() > end) return false;
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
    }
    return true;
}

// A file that process 0 has just written, for as long as it lives.
class Sign {
  public:
    Sign(Peers& peers, const fs::path& folder) : is_writer_(peers.rank() == 0) {
        std::random_device entropy;
        std::array<unsigned, 2> name{entropy(), entropy()};
        broadcast(peers, 0, std::as_writable_bytes(std::span(name)));
        file_ = folder / fmt::format(".seen-by-all-{:08x}{:08x}", name[0], name[1]);
    }
    ~Sign() {
        std::error_code ignored;
        if (is_writer_) fs::remove(file_, ignored);
    }
    Sign(const Sign&) = delete;
    Sign& operator=(const Sign&) = delete;

    void write() const {
        if (is_writer_) write_text_atomically(file_, "");
    }
    const fs::path& file() const { return file_; }

  private:
    bool is_writer_;
    fs::path file_;
};

}  // namespace

void expect_shared_folder(Peers& peers, const fs::path& folder) {
    const Sign sign(peers, folder);
    sign.write();
    any(peers, false);  // none looks before it is written
    std::vector<std::int64_t> missing(static_cast<std::size_t>(peers.size()));
    missing[peers.rank()] = appears(sign.file()) ? 0 : 1;
    missing = totals(peers, std::move(missing));
    const auto first = std::ranges::find(missing, 1);
    if (first == missing.end()) return;
    throw InputError(
        fmt::format("{}: process {} does not see what process 0 writes there: expected a folder that "
                    "all machines share",
                    folder.string(), static_cast<int>(first - missing.begin())));
}

}  // namespace hwgcn::cluster
