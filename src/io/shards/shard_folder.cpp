#include "io/shards/shard_folder.hpp"

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "hwgcn/base/error.hpp"

#include "base/fail.hpp"
#include "base/files/atomic_file.hpp"
#include "base/files/file_lock.hpp"
#include "base/files/regular_file.hpp"
#include "base/text_file.hpp"
#include "io/shards/shard_files.hpp"

namespace hwgcn {
namespace {

namespace fs = std::filesystem;

std::vector<fs::path> entries_of(const fs::path& folder) {
    std::vector<fs::path> entries;
    std::error_code error;
    for (fs::directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error))
        entries.push_back(entry->path());
    if (error) fail_in_file(folder.string(), fmt::format("cannot read the folder: {}", error.message()));
    return entries;
}

// What writers leave that were killed, and the sign by which the processes of a job see that they share a
// folder.
bool is_remnant(const fs::path& file) {
    const std::string name = file.filename().string();
    return name == shard_file::lock || name == shard_file::building || is_leftover(file, shard_file::list) ||
           name.starts_with(shard_file::seen);
}

// A folder that may be removed as a part: it has no files but those of shards.
bool is_part(const fs::path& folder) {
    std::error_code ignored;
    if (!is_shard_part_name(folder.filename().string()) || !fs::is_directory(folder, ignored)) return false;
    return std::ranges::all_of(entries_of(folder), [](const fs::path& file) {
        const std::string name = file.filename().string();
        return std::ranges::find(shard_file::in_parts, name) != shard_file::in_parts.end() ||
               is_leftover(file);
    });
}

// Of any version, damaged or not: it says what it is.
bool is_list(const fs::path& file) {
    return read_regular_file(file).find(fmt::format("\"{}\"", shard_file::format)) != std::string::npos;
}

/// What a folder holds.
struct Contents {
    bool list = false;
    bool parts = false;
    std::string others;  // the name of something else
};

Contents contents_of(const fs::path& folder) {
    Contents contents;
    for (const fs::path& entry : entries_of(folder)) {
        if (is_remnant(entry)) continue;
        if (entry.filename() == shard_file::list && is_list(entry)) {
            contents.list = true;
        } else if (is_part(entry)) {
            contents.parts = true;
        } else {
            contents.others = entry.filename().string();
        }
    }
    return contents;
}

void remove_or_fail(const fs::path& file) {
    std::error_code error;
    fs::remove_all(file, error);
    if (error)
        throw ExecutionError(fmt::format("{}: cannot be replaced: {}", file.string(), error.message()));
}

void rename_or_fail(const fs::path& from, const fs::path& to) {
    std::error_code error;
    fs::rename(from, to, error);
    if (error)
        throw ExecutionError(
            fmt::format("{}: cannot be renamed to {}: {}", from.string(), to.string(), error.message()));
}

}  // namespace

bool is_shard_part_name(std::string_view name) {
    constexpr std::string_view prefix = "part-";
    return name.size() >= shard_part_name(0).size() && name.starts_with(prefix) &&
           name.find_first_not_of("0123456789", prefix.size()) == std::string_view::npos;
}

std::string unfinished_shards(const fs::path& folder) {
    std::error_code ignored;
    const bool begun = fs::exists(folder / shard_file::building, ignored) ||
                       fs::exists(folder / shard_part_name(0) / shard_file::neighbor_offsets, ignored);
    if (!begun || fs::exists(folder / shard_file::list, ignored)) return "";
    return fmt::format(
        "has no {} yet: its shards are being written, or their writer was interrupted; in that case "
        "write them again (hwgcn shard --force)",
        shard_file::list);
}

void check_shard_folder(const fs::path& folder, OldShards old) {
    std::error_code error;
    if (!fs::is_directory(folder, error)) return;
    const Contents contents = contents_of(folder);
    // Beside a list that says what it is, other files are left as they are, unless a part has them.
    if (!contents.others.empty() && (!contents.list || is_shard_part_name(contents.others)))
        fail_in_file(folder.string(),
                     fmt::format("holds other files ({}), expected a new or an empty folder, or shards "
                                 "that `force` replaces",
                                 excerpt(contents.others)));
    if (old == OldShards::replaced) return;
    if (contents.list)
        throw InputError(
            fmt::format("{} is there already; `force` replaces it", (folder / shard_file::list).string()));
    if (contents.parts)
        fail_in_file(folder.string(), "holds parts of shards that were not finished; `force` replaces them");
}

struct ShardFolder::Held {
    bool created = false;  // the folder, by this process
    fs::path folder;
    std::optional<FileLock> lock;
};

ShardFolder::ShardFolder(const fs::path& folder, OldShards old) {
    check_shard_folder(folder, old);
    held_ = std::make_unique<Held>();
    held_->created = create_folders(folder);
    held_->folder = folder;
    held_->lock.emplace(folder / shard_file::lock, folder);
    check_shard_folder(folder, old);  // another process may have written meanwhile
    remove_or_fail(building());
    for (const fs::path& entry : entries_of(folder)) {
        if (is_leftover(entry, shard_file::list)) remove_or_fail(entry);
    }
    create_folders(building());
}

ShardFolder::~ShardFolder() {
    std::error_code error, ignored;
    fs::remove_all(building(), error);
    if (error) fs::remove_all(building(), ignored);  // memory may have run out on the way
    held_->lock.reset();
    if (held_->created) fs::remove(held_->folder, ignored);  // fails where something was written into it
}

fs::path ShardFolder::building() const {
    return held_->folder / shard_file::building;
}

// Without a list a mixture of old and new parts is never taken for a dataset.
void ShardFolder::finish() {
    const fs::path& folder = held_->folder;
    remove_or_fail(folder / shard_file::list);
    sync_folder(folder);
    for (const fs::path& entry : entries_of(folder)) {
        if (is_part(entry)) remove_or_fail(entry);
    }
    for (const fs::path& part : entries_of(building())) {
        if (is_shard_part_name(part.filename().string())) rename_or_fail(part, folder / part.filename());
    }
    sync_folder(folder);
    rename_or_fail(building() / shard_file::list, folder / shard_file::list);
    sync_folder(folder);
}

}  // namespace hwgcn
