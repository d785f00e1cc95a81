#include "io/numpy/npy_format.hpp"

#include <charconv>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/fail.hpp"

namespace hwgcn {
namespace {

constexpr std::string_view magic = "\x93NUMPY";
constexpr std::size_t alignment = 64;
constexpr std::size_t max_axes = 32;

// Reads the Python dictionary of a header, {'descr': '<f4', 'fortran_order': False, 'shape': (3, 4), }, and
// nothing more of Python than that.
class HeaderText {
  public:
    HeaderText(std::string_view text, std::string_view where) : text_(text), where_(where) {}

    NumpyArray parse() {
        NumpyArray array;
        int fields = 0;
        expect('{');
        while (!accept('}')) {
            const std::string_view key = quoted();
            expect(':');
            if (key == "descr") {
                array.dtype = dtype();
            } else if (key == "fortran_order") {
                array.fortran_order = boolean();
            } else if (key == "shape") {
                array.shape = shape();
            } else {
                fail(fmt::format("an unknown key of {} characters", key.size()));
            }
            ++fields;
            if (!accept(',')) {
                expect('}');
                break;
            }
        }
        if (fields != 3 || array.dtype.empty()) fail("not exactly descr, fortran_order and shape");
        return array;
    }

  private:
    [[noreturn]] void fail(const std::string& found) const {
        fail_in_file(where_, fmt::format("damaged .npy header: {}", found));
    }

    void skip_spaces() {
        while (position_ < text_.size() && text_[position_] == ' ')
            ++position_;
    }

    bool accept(char wanted) {
        skip_spaces();
        if (position_ >= text_.size() || text_[position_] != wanted) return false;
        ++position_;
        return true;
    }

    void expect(char wanted) {
        if (!accept(wanted)) fail(fmt::format("no '{}' at character {}", wanted, position_));
    }

    std::string_view quoted() {
        const char quote = accept('"') ? '"' : '\'';
        if (quote == '\'') expect('\'');
        const std::size_t end = text_.find(quote, position_);
        if (end == std::string_view::npos) fail("an unfinished text");
        const std::string_view content = text_.substr(position_, end - position_);
        position_ = end + 1;
        return content;
    }

    std::string dtype() {
        if (accept('[')) fail_in_file(where_, "holds records with named fields, expected numbers or text");
        return std::string(quoted());
    }

    bool boolean() {
        skip_spaces();
        for (const auto& [word, value] : {std::pair("True", true), std::pair("False", false)}) {
            if (!text_.substr(position_).starts_with(word)) continue;
            position_ += std::string_view(word).size();
            return value;
        }
        fail(fmt::format("neither True nor False at character {}", position_));
    }

    std::vector<std::int64_t> shape() {
        std::vector<std::int64_t> axes;
        expect('(');
        while (!accept(')')) {
            axes.push_back(integer());
            if (axes.size() > max_axes) fail(fmt::format("more than {} axes", max_axes));
            if (!accept(',')) {
                expect(')');
                break;
            }
        }
        return axes;
    }

    std::int64_t integer() {
        skip_spaces();
        std::int64_t value = 0;
        const char* begin = text_.data() + position_;
        const auto [end, error] = std::from_chars(begin, text_.data() + text_.size(), value);
        if (error != std::errc()) fail(fmt::format("no 64-bit integer at character {}", position_));
        position_ += static_cast<std::size_t>(end - begin);
        accept('L');  // Python 2 wrote some integers as 12L
        return value;
    }

    std::string_view text_;
    std::string_view where_;
    std::size_t position_ = 0;
};

std::size_t little_endian(std::string_view bytes) {
    std::size_t value = 0;
    for (std::size_t i = bytes.size(); i-- > 0;)
        value = value << 8 | static_cast<unsigned char>(bytes[i]);
    return value;
}

}  // namespace

NpyHeader parse_npy_header(std::string_view bytes, std::string_view where) {
    const std::size_t before_length = magic.size() + 2;
    if (!bytes.starts_with(magic) || bytes.size() < before_length) {
        fail_in_file(where, "is not a .npy array");
    }
    const int version = static_cast<unsigned char>(bytes[magic.size()]);
    if (version < 1 || version > 3) {
        fail_in_file(where, fmt::format("has .npy version {}, expected 1, 2 or 3", version));
    }
    const std::size_t length_bytes = version == 1 ? 2 : 4;
    const std::size_t start = before_length + length_bytes;
    if (bytes.size() < start) fail_in_file(where, "damaged .npy header: it ends too early");
    const std::size_t length = little_endian(bytes.substr(before_length, length_bytes));
    if (length > max_npy_header_bytes - start || length > bytes.size() - start) {
        fail_in_file(where, fmt::format("damaged .npy header: a length of {} bytes", length));
    }
    return {HeaderText(bytes.substr(start, length), where).parse(), start + length};
}

std::string format_npy_header(std::string_view dtype, const std::vector<std::int64_t>& shape) {
    const char* comma = shape.size() == 1 ? "," : "";
    std::string text = fmt::format("{{'descr': '{}', 'fortran_order': False, 'shape': ({}{}), }}", dtype,
                                   fmt::join(shape, ", "), comma);
    // Spaces and a line end bring the array's bytes to a multiple of the alignment.
    const std::size_t before = magic.size() + 2 + 2;
    const std::size_t padding = (alignment - (before + text.size() + 1) % alignment) % alignment;
    text.append(padding, ' ').push_back('\n');
    std::string header(magic);
    header += {'\1', '\0', static_cast<char>(text.size() & 0xFF), static_cast<char>(text.size() >> 8)};
    return header + text;
}

}  // namespace hwgcn
