#include <algorithm>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <fstream>
#include <functional>
#include <memory>
#include <set>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "hwgcn/base/error.hpp"

#include "base/files/atomic_file.hpp"
#include "base/files/file_lock.hpp"
#include "base/files/input_file.hpp"
#include "base/hash.hpp"
#include "test_data.hpp"

// What happens between the moment that a file is opened and that it is locked: done once, by this flock(),
// which takes the place of the C library's.
std::function<void()> before_lock;

extern "C" int flock(int descriptor, int operation) {
    if (before_lock) std::exchange(before_lock, nullptr)();
    return static_cast<int>(::syscall(SYS_flock, descriptor, operation));
}

#if !defined(__SANITIZE_ADDRESS__)  // which has a read() of its own
std::function<ssize_t(int, void*, std::size_t)> read_instead;

extern "C" ssize_t read(int descriptor, void* bytes, std::size_t room) {
    return read_instead ? read_instead(descriptor, bytes, room)
                        : ::syscall(SYS_read, descriptor, bytes, room);
}
#endif

namespace hwgcn::files_test {
namespace {

namespace fs = std::filesystem;

std::ptrdiff_t files_in(const fs::path& folder) {
    const auto entries = fs::directory_iterator(folder);
    return std::distance(begin(entries), end(entries));
}

template <typename Failure, typename Action>
std::string message_of(const Action& action) {
    try {
        action();
    } catch (const Failure& failure) {
        return failure.what();
    }
    ADD_FAILURE() << "nothing was thrown";
    return "";
}

TEST(WriteAtomically, ReplacesTheFileOrLeavesItAlone) {
    const testing::TemporaryDirectory directory;
    const auto file = directory / "deep/er/file.txt";
    write_text_atomically(file, "one");
    EXPECT_EQ(read_file(file), "one");
    const auto failing = [](OutputFile& out) {
        out.write("half");
        throw ExecutionError("disk full");
    };
    EXPECT_THROW(write_atomically(file, failing), ExecutionError);
    EXPECT_EQ(read_file(file), "one");
    EXPECT_EQ(files_in(file.parent_path()), 1) << "a temporary file was left behind";
}

TEST(WriteAtomically, WritesThroughALink) {
    const testing::TemporaryDirectory directory;
    write_text_atomically(directory / "file", "old");
    fs::create_symlink("file", directory / "link");
    write_text_atomically(directory / "link", "new");
    EXPECT_TRUE(fs::is_symlink(directory / "link"));
    EXPECT_EQ(read_file(directory / "file"), "new");
}

TEST(WriteAtomically, SaysWhyItCannotWrite) {
    const testing::TemporaryDirectory directory;
    write_text_atomically(directory / "file", "x");
    EXPECT_THROW(write_text_atomically(directory / "file/below", "x"), ExecutionError);
}

TEST(WriteAtomically, HashesWhatItWroteWhereverItIsSought) {
    const testing::TemporaryDirectory directory;
    const std::string text(200'000, 'x');
    std::string hash;
    write_atomically(directory / "file", [&](OutputFile& out) {
        out.write(text);
        out.seek(3);
        out.write("abc");
        hash = out.sha256();
    });
    EXPECT_EQ(hash, file_sha256(directory / "file"));
    EXPECT_EQ(read_file(directory / "file"), "xxxabc" + text.substr(6));
}

TEST(WriteAtomically, TemporaryNamesCannotBeForeseen) {
    const testing::TemporaryDirectory directory;
    std::set<fs::path> names;
    for (int k = 0; k < 20; ++k) {
        write_atomically(directory / "file", [&](OutputFile&) {
            for (const auto& entry : fs::directory_iterator(directory.path())) {
                if (is_leftover(entry.path(), "file")) names.insert(entry.path());
            }
        });
    }
    EXPECT_EQ(names.size(), 20U);
}

// What a killed process left is removed by the next one that writes the same file; what a living one is
// writing, or somebody else's file, is not.
TEST(WriteAtomically, RemovesWhatKilledProcessesLeft) {
    const testing::TemporaryDirectory directory;
    const fs::path stale = directory / "file.0123456789abcdef.partial";
    const fs::path used = directory / "file.fedcba9876543210.partial";
    const fs::path of_another = directory / "other.0123456789abcdef.partial";
    const fs::path of_a_person = directory / "file.thesis.partial";
    for (const fs::path& file : {stale, used, of_another, of_a_person})
        std::ofstream(file) << "half";
    const FileDescriptor writer(::open(used.c_str(), O_RDWR | O_CLOEXEC));
    ASSERT_EQ(::flock(writer.get(), LOCK_EX), 0);
    write_text_atomically(directory / "file", "whole");
    EXPECT_FALSE(fs::exists(stale));
    EXPECT_TRUE(fs::exists(used));
    EXPECT_TRUE(fs::exists(of_another));
    EXPECT_TRUE(fs::exists(of_a_person));
}

TEST(WriteAtomically, ManyThreadsLeaveOneWholeFile) {
    const testing::TemporaryDirectory directory;
    std::vector<std::thread> threads;
    for (const char letter : {'a', 'b', 'c', 'd'}) {
        threads.emplace_back([&directory, letter] {
            for (int k = 0; k < 50; ++k)
                write_text_atomically(directory / "file", std::string(10'000, letter));
        });
    }
    for (std::thread& thread : threads)
        thread.join();
    const std::string content = read_file(directory / "file");
    EXPECT_EQ(content, std::string(10'000, content.front()));
    EXPECT_EQ(files_in(directory.path()), 1);
}

TEST(ReadFile, RefusesFoldersAndMissingFiles) {
    const testing::TemporaryDirectory directory;
    EXPECT_THROW(read_file(directory.path()), InputError);
    EXPECT_THROW(read_file(directory / "missing"), InputError);
}

TEST(ReadFile, ReadsEverySizeToItsLastByte) {
    const testing::TemporaryDirectory directory;
    for (const std::size_t size : {0UL, 1UL, 65535UL, 65536UL, 65537UL, 1'000'003UL}) {
        std::string text(size, 'x');
        if (size > 0) text.back() = 'y';
        write_text_atomically(directory / "file", text);
        EXPECT_EQ(read_file(directory / "file"), text);
        EXPECT_EQ(file_sha256(directory / "file"), Sha256().bytes(text.data(), size).hex());
    }
}

#if !defined(__SANITIZE_ADDRESS__)
TEST(ReadFile, PutsPiecesTogetherAndNeverReturnsSome) {
    const testing::TemporaryDirectory directory;
    std::string text;
    for (int k = 0; text.size() < 200'000; ++k)
        text += std::to_string(k);
    testing::write_plainly(directory / "file", text);
    int calls = 0;
    const auto in_pieces = [&](int descriptor, void* bytes, std::size_t room) -> ssize_t {
        if (++calls % 2 == 0) return errno = EINTR, -1;
        return ::syscall(SYS_read, descriptor, bytes, std::min<std::size_t>(room, 30'000));
    };
    read_instead = in_pieces;
    EXPECT_EQ(read_file(directory / "file"), text);
    read_instead = [&](int descriptor, void* bytes, std::size_t room) -> ssize_t {
        return calls > 20 ? (errno = EIO, -1) : in_pieces(descriptor, bytes, room);
    };
    const std::string message = message_of<ExecutionError>([&] { read_file(directory / "file"); });
    EXPECT_TRUE(message.ends_with("file: cannot be read: Input/output error")) << message;
    read_instead = [](int, void*, std::size_t) -> ssize_t { return 0; };
    EXPECT_THROW(read_file(directory / "file"), ExecutionError) << "shorter than it was";
    read_instead = nullptr;
}
#endif

TEST(ReadFile, ReadsWhatHasNoSize) {
    EXPECT_NE(read_file("/proc/self/status").find("VmHWM"), std::string::npos);
}

// Through a pipe that does end: a reader without limits ends, too.
TEST(ReadFile, GivesUpOnWhatMayNeverEnd) {
    int ends[2];
    ASSERT_EQ(::pipe(ends), 0);
    const std::string text(10'000, 'x');
    ASSERT_EQ(::write(ends[1], text.data(), text.size()), 10'000);
    ::close(ends[1]);
    const std::string name = "/dev/fd/" + std::to_string(ends[0]);
    set_stream_limit({4096, "; ask for more"});
    const std::string message = message_of<InputError>([&] { read_file(name); });
    set_stream_limit({});
    ::close(ends[0]);
    EXPECT_EQ(message, name + ": is not a regular file, and goes on beyond 4096 bytes; ask for more");
}

// In a process of its own, whose memory is limited as by ulimit -v.
TEST(ReadFile, SaysWhichFileMemoryDoesNotSufficeFor) {
#if defined(__SANITIZE_ADDRESS__)
    GTEST_SKIP() << "skipped: the sanitizer ends the process instead of throwing";
#endif
    const testing::TemporaryDirectory directory;
    const fs::path file = directory / "huge";
    std::ofstream(file) << "x";
    fs::resize_file(file, std::uintmax_t{1} << 32);  // a hole, which takes no place on the disk
    const pid_t child = ::fork();
    if (child == 0) {
        const rlimit limit{std::uintmax_t{1} << 31, std::uintmax_t{1} << 31};
        ::setrlimit(RLIMIT_AS, &limit);
        const std::string message = message_of<ExecutionError>([&] { read_file(file); });
        ::_exit(message.find("huge: memory does not suffice for its 4294967296 bytes") != std::string::npos
                    ? 0
                    : 1);
    }
    int status = -1;
    ::waitpid(child, &status, 0);
    EXPECT_EQ(status, 0);
}

TEST(FileLock, SaysWhoHoldsItAndVanishesWithIt) {
    const testing::TemporaryDirectory directory;
    const fs::path lock = directory / "journal.lock";
    {
        const FileLock held(lock, directory / "journal");
        const std::string message =
            message_of<InputError>([&] { const FileLock second(lock, directory / "journal"); });
        EXPECT_NE(message.find("journal: is in use by process " + std::to_string(::getpid()) + " on "),
                  std::string::npos)
            << message;
        EXPECT_NE(message.find(" since 20"), std::string::npos) << message;
    }
    EXPECT_FALSE(fs::exists(lock));
    const FileLock again(lock, directory / "journal");
}

TEST(FileLock, OfAKilledProcessIsFree) {
    const testing::TemporaryDirectory directory;
    const fs::path lock = directory / "run.lock";
    int ready[2];
    ASSERT_EQ(::pipe(ready), 0);
    const pid_t child = ::fork();
    if (child == 0) {
        const FileLock held(lock, directory.path());
        [[maybe_unused]] const ssize_t told = ::write(ready[1], "x", 1);
        ::pause();
    }
    char letter = 0;
    ASSERT_EQ(::read(ready[0], &letter, 1), 1);
    EXPECT_THROW(FileLock(lock, directory.path()), InputError);
    ::kill(child, SIGKILL);
    ::waitpid(child, nullptr, 0);
    EXPECT_TRUE(fs::exists(lock));
    EXPECT_NO_THROW(FileLock(lock, directory.path()));
    ::close(ready[0]);
    ::close(ready[1]);
}

// The holder removes the file; whoever had opened it by then must not believe to hold the next one's lock.
TEST(FileLock, OfAFileThatIsGoneIsNone) {
    const testing::TemporaryDirectory directory;
    auto first = std::make_unique<FileLock>(directory / "lock", "thing");
    std::unique_ptr<FileLock> next;
    before_lock = [&] {  // the second one has opened the file of the first
        first.reset();
        next = std::make_unique<FileLock>(directory / "lock", "thing");
    };
    EXPECT_THROW(FileLock(directory / "lock", "thing"), InputError);
    EXPECT_NE(next, nullptr);
}

TEST(FileLock, NeverHasTwoHolders) {
    const testing::TemporaryDirectory directory;
    std::atomic<int> holders{0}, most{0}, times{0};
    std::vector<std::thread> threads;
    for (int t = 0; t < 4; ++t) {
        threads.emplace_back([&] {
            for (int k = 0; k < 500; ++k) {
                try {
                    const FileLock lock(directory / "lock", "thing");
                    most = std::max(most.load(), ++holders);
                    ++times;
                    --holders;
                } catch (const InputError&) {
                    std::this_thread::yield();
                }
            }
        });
    }
    for (std::thread& thread : threads)
        thread.join();
    EXPECT_EQ(most.load(), 1);
    EXPECT_GT(times.load(), 100);
}

}  // namespace
}  // namespace hwgcn::files_test
