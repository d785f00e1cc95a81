// Tables that are cut into shards by one process and by several, which are threads here.
#pragma once

#include <map>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "hwgcn/base/error.hpp"

#include "base/files/input_file.hpp"
#include "distributed/io/text_shards.hpp"
#include "distributed/thread_peers.hpp"
#include "io/shards/shards.hpp"
#include "test_data.hpp"

namespace hwgcn::testing {

namespace fs = std::filesystem;

inline const std::vector<int> process_counts = {1, 2, 3, 5, 8};

// The text of every file below a folder.
inline std::map<std::string, std::string> files_in(const fs::path& folder) {
    std::map<std::string, std::string> files;
    for (const fs::directory_entry& entry : fs::recursive_directory_iterator(folder)) {
        if (entry.is_regular_file())
            files[fs::relative(entry.path(), folder).string()] = read_file(entry.path());
    }
    return files;
}

struct Tables {
    std::string edges;
    std::string nodes;     // empty: none
    std::string features;  // empty: none
    CsvFiles settings = {};
    Scale scale = Scale::automatic;
};

// What the readers noticed as another file.
inline std::map<std::string, std::string> with_notes(std::map<std::string, std::string> files,
                                                     const std::vector<std::string>& notes) {
    files["(notes)"] = fmt::format("{}", fmt::join(notes, "\n"));
    return files;
}

class Workplace {
  public:
    explicit Workplace(const Tables& tables) : files_(tables.settings), scale_(tables.scale) {
        const auto put = [&](const std::string& name, const std::string& text, fs::path& file) {
            if (text.empty()) return;
            file = directory_ / name;
            write_plainly(file, text);
        };
        put("edges.csv", tables.edges, files_.edges);
        put("nodes.csv", tables.nodes, files_.nodes);
        put("features.csv", tables.features, files_.features);
    }

    fs::path folder(const std::string& name) const { return directory_ / name; }

    std::map<std::string, std::string> written_by_one(Index block_size) const {
        Dataset dataset = read_csv_dataset(files_);
        dataset.scale = scale_;
        std::error_code ignored;
        fs::remove_all(folder("one"), ignored);
        write_shards(folder("one"), dataset, {even_blocks(dataset.nodes, block_size), "keep"});
        return with_notes(files_in(folder("one")), dataset.notes);
    }

    TextShards shard(int processes, Index block_size, std::size_t piece_bytes) const {
        TextShards result;
        TextShardOptions options;
        options.out = folder("several");
        options.block_size = block_size;
        options.scale = scale_;
        options.piece_bytes = piece_bytes;
        options.memory = processes == 3 ? 1 : processes == 5 ? 100 : 0;
        run_as_threads(processes, [&](Peers& peers) {
            TextShards own = shard_text(files_, options, peers);
            if (peers.rank() == 0) result = std::move(own);
        });
        return result;
    }

    std::map<std::string, std::string> written_by(int processes, Index block_size,
                                                  std::size_t piece_bytes) const {
        std::error_code ignored;
        fs::remove_all(folder("several"), ignored);
        const TextShards shards = shard(processes, block_size, piece_bytes);
        return with_notes(files_in(folder("several")), shards.notes);
    }

    std::string error_of(int processes) const {
        try {
            shard(processes, 2, 16);
        } catch (const InputError& error) {
            EXPECT_FALSE(fs::exists(folder("several") / "shards.json"));
            return error.what();
        }
        return "no error";
    }

    std::string error_of_reader() const {
        try {
            read_csv_dataset(files_);
        } catch (const InputError& error) {
            return error.what();
        }
        return "no error";
    }

  private:
    TemporaryDirectory directory_;
    CsvFiles files_;
    Scale scale_;
};

inline void expect_same_files(const Tables& tables, const std::vector<Index>& block_sizes = {2}) {
    const Workplace place(tables);
    for (const Index block_size : block_sizes) {
        const std::map<std::string, std::string> expected = place.written_by_one(block_size);
        for (const int processes : process_counts) {
            const std::size_t piece = processes % 2 == 1 ? 7 : 1 << 20;
            SCOPED_TRACE(fmt::format("{} processes, blocks of {}", processes, block_size));
            const std::map<std::string, std::string> found = place.written_by(processes, block_size, piece);
            ASSERT_EQ(found.size(), expected.size());
            for (const auto& [name, text] : expected) {
                SCOPED_TRACE(name);
                const auto file = found.find(name);
                ASSERT_NE(file, found.end());
                ASSERT_EQ(file->second, text);
            }
        }
    }
}

inline const std::string plain_edges = "source,target\na,b\nb,c\nc,a\nd,d\nb,a\na,b\ne,a\n";
inline const std::string plain_nodes = "id,label,x\na,1,0\nb,0,2.5\nc,,1\nd,1,0\ne,10,0\nf,NA,0\n";

// The same message, from any number of processes.
inline void expect_same_error(const Tables& tables, const std::string& expected) {
    const Workplace place(tables);
    EXPECT_THAT(place.error_of_reader(), ::testing::HasSubstr(expected));
    for (const int processes : process_counts)
        EXPECT_THAT(place.error_of(processes), ::testing::HasSubstr(expected)) << processes;
}

}  // namespace hwgcn::testing
