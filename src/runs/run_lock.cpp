#include <algorithm>
#include <optional>

#include "hwgcn/runs/run_folder.hpp"

#include "base/files/atomic_file.hpp"
#include "base/files/file_lock.hpp"
#include "runs/run_files.hpp"

namespace hwgcn {

namespace fs = std::filesystem;

struct RunLock::Held {
    bool created;  // the folder, by this lock
    fs::path folder;
    std::optional<FileLock> lock;
};

RunLock::RunLock(const fs::path& folder)
    : held_(std::make_unique<Held>(create_folders(folder), folder, std::nullopt)) {
    held_->lock.emplace(folder / run_file::lock, folder);
}

RunLock::~RunLock() {
    held_->lock.reset();
    std::error_code ignored;
    if (held_->created) fs::remove(held_->folder, ignored);  // fails where something was written into it
}

bool is_remnant_of_run(const fs::path& file) {
    return file.filename() == run_file::lock || file.filename() == run_file::choice ||
           std::ranges::any_of(run_file::all, [&](const char* name) { return is_leftover(file, name); });
}

}  // namespace hwgcn
