#include "base/text_file.hpp"

#include <algorithm>
#include <limits>
#include <new>

#include <fmt/format.h>
#include <zlib.h>

#include "hwgcn/base/error.hpp"

#include "base/fail.hpp"
#include "base/files/input_file.hpp"
#include "base/safe_text.hpp"
#include "base/stopping.hpp"

namespace hwgcn {
namespace {

constexpr std::string_view gzip_magic = "\x1f\x8b";
constexpr std::string_view byte_order_mark = "\xef\xbb\xbf";

// Unpacks the members of a gzip file, of which there may be several one after the other.
class Inflater {
  public:
    Inflater(std::string_view name, std::string_view bytes, std::size_t limit,
             const ExecutionControl& control)
        : name_(name), bytes_(bytes), limit_(limit), control_(control) {
        constexpr int gzip_only = 16 + MAX_WBITS;
        if (inflateInit2(&stream_, gzip_only) != Z_OK) throw ExecutionError("zlib cannot be initialised");
    }
    ~Inflater() { inflateEnd(&stream_); }
    Inflater(const Inflater&) = delete;
    Inflater& operator=(const Inflater&) = delete;

    std::string unpack() {
        for (;;) {
            throw_if_stopped(control_);
            const int status = step();
            if (status == Z_OK) continue;
            if (status == Z_MEM_ERROR) throw std::bad_alloc();
            if (status == Z_BUF_ERROR) fail("is a gzip file cut short");
            if (status != Z_STREAM_END)
                fail(fmt::format("is a damaged gzip file ({})", stream_.msg ? stream_.msg : "invalid data"));
            if (bytes_.empty()) break;
            if (!bytes_.starts_with(gzip_magic)) fail("has foreign bytes after the end of its gzip data");
            inflateReset(&stream_);
        }
        text_.resize(length_);
        return std::move(text_);
    }

  private:
    [[noreturn]] void fail(const std::string& message) const { fail_in_file(name_, message); }

    // One call of zlib, on as much input as its 32-bit counters can say and room for a fraction of a second.
    int step() {
        if (length_ == text_.size()) {
            constexpr std::size_t first_room = std::size_t{1} << 16;
            // One byte more than allowed, to tell a text of exactly the limit from a longer one.
            text_.resize(std::min(std::max(first_room, 2 * text_.size()), limit_ + 1));
        }
        constexpr std::size_t most = std::numeric_limits<uInt>::max();
        const uInt input = static_cast<uInt>(std::min(bytes_.size(), most));
        constexpr std::size_t most_room = std::size_t{1} << 26;
        const uInt room = static_cast<uInt>(std::min(text_.size() - length_, most_room));
        // zlib does not write to its input; its interface only predates const.
        stream_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes_.data()));
        stream_.avail_in = input;
        stream_.next_out = reinterpret_cast<Bytef*>(text_.data() + length_);
        stream_.avail_out = room;
        const int status = inflate(&stream_, Z_NO_FLUSH);
        bytes_.remove_prefix(input - stream_.avail_in);
        length_ += room - stream_.avail_out;
        if (length_ > limit_)
            fail(fmt::format("unfolds to more than {} bytes, the most that is accepted", limit_));
        return status;
    }

    std::string_view name_;
    std::string_view bytes_;  // what is still to be read
    std::size_t limit_;
    const ExecutionControl& control_;
    z_stream stream_{};
    std::string text_;
    std::size_t length_ = 0;  // how much of `text_` is filled
};

}  // namespace

std::string read_text_file(const std::filesystem::path& file, const ExecutionControl& control) {
    return decode_text(file.string(), read_file(file), largest_text, control);
}

std::string decode_text(std::string_view name, std::string bytes, std::size_t limit,
                        const ExecutionControl& control) {
    std::string text =
        bytes.starts_with(gzip_magic) ? Inflater(name, bytes, limit, control).unpack() : std::move(bytes);
    const std::size_t nul = text.find('\0');
    if (nul != std::string::npos) {
        const auto line = std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(nul), '\n') + 1;
        fail_at_line(name, line, "holds a NUL byte: not a text file, or not in UTF-8");
    }
    if (text.starts_with(byte_order_mark)) text.erase(0, byte_order_mark.size());
    if (text.find('\n') == std::string::npos)
        std::ranges::replace(text, '\r', '\n');  // as old Macs end lines
    return text;
}

bool LineReader::next() {
    if (rest_.empty()) return false;
    const std::size_t end = rest_.find('\n');
    line_ = rest_.substr(0, end);
    rest_.remove_prefix(end == std::string_view::npos ? rest_.size() : end + 1);
    if (line_.ends_with('\r')) line_.remove_suffix(1);
    ++number_;
    return true;
}

std::string name_of_file(std::filesystem::path file) {
    if (file.extension() == ".gz") file.replace_extension();
    return file.stem().string();
}

std::string_view trimmed(std::string_view text) {
    constexpr std::string_view blanks = " \t\r";
    const std::size_t begin = text.find_first_not_of(blanks);
    if (begin == std::string_view::npos) return {};
    return text.substr(begin, text.find_last_not_of(blanks) + 1 - begin);
}

std::string lower_case(std::string_view text) {
    std::string lower(text);
    for (char& letter : lower) {
        if (letter >= 'A' && letter <= 'Z') letter = static_cast<char>(letter - 'A' + 'a');
    }
    return lower;
}

std::string excerpt(std::string_view text) {
    constexpr std::size_t longest = 60;
    return safe_text(text, longest);
}

}  // namespace hwgcn
