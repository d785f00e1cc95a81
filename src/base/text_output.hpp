#pragma once

#include <filesystem>
#include <functional>
#include <iterator>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "base/files/atomic_file.hpp"

namespace hwgcn {

/// Text on its way into a file, in large pieces.
class TextOutput {
  public:
    explicit TextOutput(OutputFile& file) : file_(file) {}
    TextOutput(const TextOutput&) = delete;
    TextOutput& operator=(const TextOutput&) = delete;
    ~TextOutput() = default;

    template <typename... Arguments>
    void print(fmt::format_string<Arguments...> format, Arguments&&... arguments) {
        fmt::format_to(std::back_inserter(buffer_), format, std::forward<Arguments>(arguments)...);
        flush_when_full();
    }

    void text(std::string_view piece) {
        buffer_.append(piece.data(), piece.data() + piece.size());
        flush_when_full();
    }

    void flush() {
        file_.write(std::string_view(buffer_.data(), buffer_.size()));
        buffer_.clear();
    }

  private:
    void flush_when_full() {
        constexpr std::size_t full = std::size_t{1} << 20;
        if (buffer_.size() >= full) flush();
    }

    OutputFile& file_;
    fmt::memory_buffer buffer_;
};

/// Writes a text file under a temporary name and renames it when `write` is done. ExecutionError where the
/// disk refuses.
void write_text_file(const std::filesystem::path& target, const std::function<void(TextOutput&)>& write);

}  // namespace hwgcn
