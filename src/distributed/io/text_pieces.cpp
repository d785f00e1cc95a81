#include "distributed/io/text_pieces.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <exception>
#include <utility>
#include <vector>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>

#include "hwgcn/base/error.hpp"

#include "base/fail.hpp"
#include "base/files/atomic_file.hpp"
#include "base/input_stream.hpp"
#include "base/stopping.hpp"
#include "base/text_file.hpp"
#include "distributed/io/peer_texts.hpp"
#include "io/csv/reading_hints.hpp"

namespace hwgcn {
namespace {

constexpr std::int64_t step_bytes = 1 << 16;

std::int64_t line_breaks(std::string_view text) {
    return std::count(text.begin(), text.end(), '\n');
}

}  // namespace

bool unpack_text(const std::filesystem::path& file, const std::filesystem::path& target,
                 const ExecutionControl& control) {
    InputStream in(file);
    std::string buffer(step_bytes, '\0');
    const auto read = [&] {
        return std::string_view(buffer).substr(0, in.read(buffer.data(), buffer.size()));
    };
    std::string start(read());
    if (start.size() == 1) start += read();  // of a pipe
    if (in.is_regular() && !is_gzip(start)) return false;
    bool started = false;
    const auto next = [&] { return std::exchange(started, true) ? read() : std::string_view(start); };
    write_atomically(target, [&](OutputFile& out) {
        const auto put = [&](std::string_view text) { out.write(text); };
        if (is_gzip(start)) return unpack_gzip(file.string(), next, put, control);
        for (std::string_view text = next(); !text.empty(); text = next()) {
            throw_if_stopped(control);
            put(text);
        }
    });
    return true;
}

TextPieces::TextPieces(const TextReading& reading, const std::filesystem::path& file, CsvComments comments,
                       int records)
    : reading_(reading), pieces_(reading.peers), name_(file.string()), syntax_{.comments = comments} {
    const auto unpacked = reading.unpacked.find(file);
    do_together(reading.peers, [&] { open(unpacked == reading.unpacked.end() ? file : unpacked->second); });
    expect_same(reading.peers, fmt::format("size of {}", name_), fmt::to_string(size_));
    settle_range();
    read_head(records);
    head_.emplace(name_, head_text_, comments, reading.control);
}

void TextPieces::open(const std::filesystem::path& file) {
    descriptor_ = FileDescriptor(::open(file.c_str(), O_RDONLY | O_CLOEXEC));
    struct stat status {};
    if (!descriptor_.is_open() || ::fstat(descriptor_.get(), &status) != 0)
        fail_in_file(name_, fmt::format("cannot be read: {}", std::strerror(errno)));
    size_ = text_end_ = status.st_size;
    if (text_between(0, std::min<std::int64_t>(size_, 3)) == "\xef\xbb\xbf") text_begin_ = 3;
}

std::string TextPieces::text_between(std::int64_t from, std::int64_t end) const {
    std::string text(static_cast<std::size_t>(end - from), '\0');
    for (std::size_t filled = 0; filled < text.size();) {
        const ssize_t got = ::pread(descriptor_.get(), text.data() + filled, text.size() - filled,
                                    static_cast<off_t>(from) + static_cast<off_t>(filled));
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) throw ExecutionError(fmt::format("{}: cannot be read: {}", name_, std::strerror(errno)));
        if (got == 0) throw ExecutionError(fmt::format("{}: became shorter while it was read", name_));
        filled += static_cast<std::size_t>(got);
    }
    if (line_end_ != '\n') std::ranges::replace(text, line_end_, '\n');
    return text;
}

// Of the first line that begins there or further on.
std::int64_t TextPieces::first_line_start(std::int64_t from) const {
    if (from <= text_begin_) return text_begin_;
    for (std::int64_t place = from - 1; place < text_end_; place += step_bytes) {
        const std::string text = text_between(place, std::min(text_end_, place + step_bytes));
        if (const std::size_t end = text.find('\n'); end != std::string::npos)
            return place + static_cast<std::int64_t>(end) + 1;
    }
    return text_end_;
}

CsvSyntax TextPieces::find_syntax() const {
    for (std::int64_t bytes = step_bytes;; bytes *= 2) {
        const std::int64_t end = std::min(text_end_, text_begin_ + bytes);
        const std::string text = text_between(text_begin_, end);
        const CsvTable table(name_, text, syntax_.comments);
        if (table.has_whole_record() || end == text_end_) return table.syntax();
    }
}

TextPieces::Lines TextPieces::look_through(std::int64_t from, std::int64_t end) const {
    Lines lines{.begin = from, .first_record = RecordScan::nowhere};
    std::array<RecordScan, 2> scans = {RecordScan(syntax_, false), RecordScan(syntax_, true)};
    const auto step = static_cast<std::int64_t>(reading_.piece_bytes);
    for (std::int64_t place = from; place < end; place += step) {
        const std::string text = text_between(place, std::min(end, place + step));
        const std::string_view view = text;
        const std::size_t nul = view.find('\0');
        if (nul != std::string_view::npos && lines.line_of_nul < 0)
            lines.line_of_nul = lines.count + line_breaks(view.substr(0, nul));
        for (RecordScan& scan : scans)
            scan.read(view);
        if (lines.first_record < 0 && scans[1].first_record() >= 0) {
            lines.first_record = from + scans[1].first_record();
            lines.count_before = lines.count + line_breaks(view.substr(
                                                   0, static_cast<std::size_t>(lines.first_record - place)));
        }
        lines.count += line_breaks(view);
        lines.has_return = lines.has_return || view.find('\r') != std::string_view::npos;
    }
    for (std::size_t k = 0; k < scans.size(); ++k)
        lines.ends_quoted[k] = scans[k].is_quoted();
    return lines;
}

std::vector<TextPieces::Lines> TextPieces::look_through_all() {
    Peers& peers = reading_.peers;
    Lines own;
    do_together(peers, [&] {
        const std::int64_t length = size_ - text_begin_;
        const auto cut = [&](std::int64_t rank) {
            const std::int64_t whole = length / peers.size() * rank;
            return first_line_start(text_begin_ + whole + length % peers.size() * rank / peers.size());
        };
        syntax_ = find_syntax();
        own = look_through(cut(peers.rank()), cut(peers.rank() + 1));
    });
    std::vector<Lines> all;
    for (const std::vector<Lines>& one : share_values(peers, std::vector<Lines>{own}))
        all.push_back(one.front());
    return all;
}

// A range of lines that begins within a field gives up its first lines to the range in front of it.
void TextPieces::settle_range() {
    std::vector<Lines> all = look_through_all();
    const bool has_lines = std::ranges::any_of(all, [](const Lines& lines) { return lines.count > 0; });
    if (!has_lines && std::ranges::any_of(all, &Lines::has_return)) {
        line_end_ = '\r';  // as old Macs end lines
        all = look_through_all();
    }
    const auto rank = static_cast<std::size_t>(reading_.peers.rank());
    std::vector<std::int64_t> begins;
    bool quoted = false, quoted_here = false;
    std::int64_t line = 1;
    for (const Lines& lines : all) {
        if (lines.line_of_nul >= 0)
            fail_at_line(name_, line + lines.line_of_nul,
                         "holds a NUL byte: not a text file, or not in UTF-8");
        if (begins.size() == rank) {
            quoted_here = quoted;
            first_line_ = line + (quoted ? lines.count_before : 0);
        }
        begins.push_back(quoted ? lines.first_record : lines.begin);
        quoted = lines.ends_quoted[quoted ? 1 : 0];
        line += lines.count;
    }
    if (quoted) {
        const bool is_last = rank + 1 == all.size();
        cut_behind_unclosed(all[rank].begin, is_last ? text_end_ : all[rank + 1].begin, quoted_here);
    }
    begins.push_back(text_end_);
    for (std::size_t k = all.size(); k-- > 0;) {
        if (begins[k] == RecordScan::nowhere) begins[k] = begins[k + 1];
    }
    begin_ = std::min(begins[rank], text_end_);
    end_ = std::min(begins[rank + 1], text_end_);
}

// What follows a quote that is never closed belongs to its field, whatever it is: CsvTable reports it all the
// same, and nobody has to hold it.
void TextPieces::cut_behind_unclosed(std::int64_t from, std::int64_t end, bool quoted) {
    RecordScan scan(syntax_, quoted);
    do_together(reading_.peers, [&] {
        const auto step = static_cast<std::int64_t>(reading_.piece_bytes);
        for (std::int64_t place = from; place < end; place += step)
            scan.read(text_between(place, std::min(end, place + step)));
    });
    const std::int64_t own = scan.last_opening() == RecordScan::nowhere ? 0 : from + scan.last_opening() + 1;
    text_end_ = 0;
    for (const std::vector<std::int64_t>& one : share_values(reading_.peers, std::vector{own}))
        text_end_ = std::max(text_end_, one.front());
}

void TextPieces::read_head(int records) {
    for (std::int64_t bytes = step_bytes;; bytes *= 2) {
        const std::int64_t end = std::min(text_end_, text_begin_ + bytes);
        head_text_ = text_between(text_begin_, end);
        if (end == text_end_) return;
        RecordScan scan(syntax_, false);
        scan.read(head_text_);
        head_text_.resize(static_cast<std::size_t>(scan.last_record()));
        CsvTable table(name_, head_text_, syntax_.comments);
        int found = 0;
        while (found < records && table.next())
            ++found;
        if (found == records) return;
    }
}

void TextPieces::rewind() {
    place_ = begin_;
    line_ = first_line_;
    buffer_.clear();
    piece_size_ = 0;
    scan_.emplace(syntax_, false);
}

bool TextPieces::next() {
    line_ += line_breaks(piece());
    buffer_.erase(0, piece_size_);
    piece_size_ = 0;
    const std::int64_t begin = place_ - static_cast<std::int64_t>(buffer_.size());
    while (piece_size_ == 0 && place_ < end_) {
        const std::int64_t end = std::min(end_, place_ + static_cast<std::int64_t>(reading_.piece_bytes));
        const std::string text = text_between(place_, end);
        scan_->read(text);
        buffer_ += text;
        place_ = end;
        piece_size_ = static_cast<std::size_t>(begin_ + scan_->last_record() - begin);
    }
    if (place_ == end_) piece_size_ = buffer_.size();
    return piece_size_ > 0;
}

bool TextPieces::next_piece() {
    do_together(reading_.peers, [&] { next(); });
    return any(reading_.peers, piece_size_ > 0);
}

std::int64_t TextPieces::line_not_utf8() {
    for (const std::vector<std::int64_t>& one :
         share_values(reading_.peers, std::vector<std::int64_t>{line_not_utf8_})) {
        if (one.front() > 0) return one.front();
    }
    return 0;
}

void TextPieces::read_own(const Use& use) {
    if (line_not_utf8_ == 0) {
        const std::int64_t line = hwgcn::line_not_utf8(piece());
        if (line > 0) line_not_utf8_ = line_ + line - 1;
    }
    CsvTable table(*head_, piece(), line_);
    while (table.next()) {
        if (!is_header(table)) use(table);
    }
}

void TextPieces::read_piece(const Use& use) {
    std::exception_ptr fault;
    try {
        read_own(use);
    } catch (const Error&) {
        fault = std::current_exception();
    }
    if (!any(reading_.peers, fault != nullptr)) return;
    do_together(reading_.peers, [&] {
        if (fault) std::rethrow_exception(fault);
        while (next())
            read_own(use);
    });
}

}  // namespace hwgcn
