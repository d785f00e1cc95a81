#pragma once

#include <filesystem>
#include <memory>

namespace hwgcn {

/// What becomes of shards that are in a folder already.
enum class OldShards { stay, replaced };

/// Throws InputError unless shards may be written to a folder: it is new, empty, holds nothing but what an
/// interrupted writer left, or holds shards that are to be replaced.
void check_shard_folder(const std::filesystem::path& folder, OldShards old);

/// A folder that this process alone writes shards to. They are built in a folder within it and take the place
/// of the old ones when they are whole: a writer that fails or is killed before leaves the old ones, one that
/// is killed meanwhile leaves a folder without shards.json, which is refused with what to do.
class ShardFolder {
  public:
    /// Checks the folder and locks it. Throws InputError, saying who, where another process writes to it.
    ShardFolder(const std::filesystem::path& folder, OldShards old);
    ~ShardFolder();  ///< removes what was built and not finished
    ShardFolder(const ShardFolder&) = delete;
    ShardFolder& operator=(const ShardFolder&) = delete;

    /// Where the new shards are built; other processes may write there, too.
    std::filesystem::path building() const;

    /// All of them are written, shards.json too: removes the old ones and puts the new ones in their place.
    void finish();

  private:
    struct Held;
    std::unique_ptr<Held> held_;
};

}  // namespace hwgcn
