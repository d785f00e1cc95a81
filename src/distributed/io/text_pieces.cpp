#include "distributed/io/text_pieces.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>

#include "hwgcn/base/error.hpp"

#include "base/fail.hpp"
#include "distributed/io/peer_texts.hpp"

namespace hwgcn {
namespace {

constexpr std::int64_t step_bytes = 1 << 16;

std::int64_t line_breaks(std::string_view text) {
    return std::count(text.begin(), text.end(), '\n');
}

}  // namespace

TextPieces::TextPieces(const std::filesystem::path& file, std::size_t piece_bytes, Peers& peers)
    : name_(file.string()), piece_bytes_(static_cast<std::int64_t>(piece_bytes)) {
    do_together(peers, [&] {
        descriptor_ = FileDescriptor(::open(file.c_str(), O_RDONLY | O_CLOEXEC));
        struct stat status {};
        if (!descriptor_.is_open() || ::fstat(descriptor_.get(), &status) != 0)
            fail_in_file(name_, fmt::format("cannot be read: {}", std::strerror(errno)));
        if (!S_ISREG(status.st_mode))
            fail_in_file(name_, "is no plain file, and only these can be read in pieces");
        size_ = status.st_size;
        std::string start;
        read(start, 0, std::min<std::int64_t>(size_, 3));
        if (start.starts_with("\x1f\x8b"))
            fail_in_file(
                name_,
                "is packed with gzip, and such a file cannot be read in pieces by several processes; "
                "gunzip unpacks it, or one process reads it (hwgcn shard)");
        text_begin_ = start.starts_with("\xef\xbb\xbf") ? 3 : 0;
        const std::int64_t length = size_ - text_begin_;
        const auto cut = [&](std::int64_t rank) {
            const std::int64_t whole = length / peers.size() * rank;
            return first_line_start(text_begin_ + whole + length % peers.size() * rank / peers.size());
        };
        begin_ = cut(peers.rank());
        end_ = cut(peers.rank() + 1);
    });
    expect_same(peers, fmt::format("size of {}", name_), fmt::to_string(size_));
    count_lines(peers);
    rewind();
}

// Adds the bytes from..end to the buffer.
void TextPieces::read(std::string& buffer, std::int64_t from, std::int64_t end) const {
    std::size_t filled = buffer.size();
    buffer.resize(filled + static_cast<std::size_t>(end - from));
    while (filled < buffer.size()) {
        const ssize_t got = ::pread(descriptor_.get(), buffer.data() + filled, buffer.size() - filled,
                                    static_cast<off_t>(from));
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) throw ExecutionError(fmt::format("{}: cannot be read: {}", name_, std::strerror(errno)));
        if (got == 0) throw ExecutionError(fmt::format("{}: became shorter while it was read", name_));
        filled += static_cast<std::size_t>(got);
        from += got;
    }
}

// Of the first line that begins there or further on.
std::int64_t TextPieces::first_line_start(std::int64_t from) const {
    if (from <= text_begin_) return text_begin_;
    std::string buffer;
    for (std::int64_t place = from - 1; place < size_; place += step_bytes) {
        buffer.clear();
        read(buffer, place, std::min(size_, place + step_bytes));
        if (const std::size_t end = buffer.find('\n'); end != std::string::npos)
            return place + static_cast<std::int64_t>(end) + 1;
    }
    return size_;
}

void TextPieces::count_lines(Peers& peers) {
    std::int64_t lines = 0;
    std::int64_t line_of_nul = -1;
    bool has_return = false;
    do_together(peers, [&] {
        std::string buffer;
        for (std::int64_t place = begin_; place < end_; place += piece_bytes_) {
            buffer.clear();
            read(buffer, place, std::min(end_, place + piece_bytes_));
            const std::size_t nul = buffer.find('\0');
            if (nul != std::string::npos && line_of_nul < 0)
                line_of_nul = lines + line_breaks(std::string_view(buffer).substr(0, nul));
            lines += line_breaks(buffer);
            has_return = has_return || buffer.find('\r') != std::string::npos;
        }
    });
    const std::vector<std::vector<std::int64_t>> all = share_values(peers, std::vector<std::int64_t>{lines});
    for (int rank = 0; rank < peers.rank(); ++rank)
        first_line_ += all[static_cast<std::size_t>(rank)].front();
    if (total(peers, lines) == 0 && any(peers, has_return))
        fail_in_file(
            name_,
            "has lines that end in \\r alone, and such a file cannot be read in pieces by several processes; "
            "one process reads it (hwgcn shard)");
    do_together(peers, [&] {
        if (line_of_nul >= 0)
            fail_at_line(name_, first_line_ + line_of_nul,
                         "holds a NUL byte: not a text file, or not in UTF-8");
    });
}

std::string TextPieces::head(CsvComments comments, int records) const {
    for (std::int64_t bytes = step_bytes;; bytes *= 2) {
        const std::int64_t end = std::min(size_, first_line_start(text_begin_ + bytes));
        std::string text;
        read(text, text_begin_, end);
        if (end == size_) return text;
        CsvTable table(CsvTable(name_, text, comments), text, 1);
        int found = 0;
        while (found < records && table.next())
            ++found;
        if (found == records) return text;
    }
}

void TextPieces::rewind() {
    place_ = begin_;
    line_ = first_line_;
    buffer_.clear();
    piece_size_ = 0;
}

bool TextPieces::next() {
    line_ += line_breaks(piece());
    buffer_.erase(0, piece_size_);
    piece_size_ = 0;
    while (piece_size_ == 0 && place_ < end_) {
        const std::int64_t end = std::min(end_, place_ + piece_bytes_);
        const std::size_t before = buffer_.size();
        read(buffer_, place_, end);
        place_ = end;
        const std::size_t last = std::string_view(buffer_).substr(before).rfind('\n');
        if (last != std::string_view::npos) piece_size_ = before + last + 1;
    }
    if (place_ == end_) piece_size_ = buffer_.size();
    return piece_size_ > 0;
}

bool TextPieces::next_round(Peers& peers) {
    do_together(peers, [&] { next(); });
    return any(peers, piece_size_ > 0);
}

}  // namespace hwgcn
