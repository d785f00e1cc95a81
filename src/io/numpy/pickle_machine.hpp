#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "io/numpy/pickle_value.hpp"

namespace hwgcn {

/// The machine that a pickle is a program for: a stack of values, marks in it, and a numbered memo. There is
/// no recursion, and every instruction makes at most one value, so that work and memory are linear in the
/// bytes of the file. The instructions themselves are in pickle.cpp.
class PickleMachine {
  public:
    using Values = std::vector<const PickleValue*>;

    PickleMachine(std::string_view bytes, std::string_view file) : bytes_(bytes), file_(file) {}

    /// The code of the next instruction.
    std::uint8_t start_instruction();

    /// InputError at the current instruction.
    [[noreturn]] void fail(std::string_view message) const;

    // Operands. Numbers are little-endian.
    std::string_view take(std::uint64_t count);
    std::string_view take_line();
    template <typename T>
    T take_integer() {
        return static_cast<T>(integer_from(take(sizeof(T))));
    }
    template <typename Number>
    Number take_number_line() {
        return parse<Number>(take_line());
    }

    // Values.
    template <typename Content>
    void push(Content content) {
        check_value_count();
        document_.values.push_back({static_cast<std::int64_t>(instruction_), std::move(content)});
        stack_.push_back(&document_.values.back());
    }
    void push_integer(std::int64_t value) { push(value); }
    void push_text_integer(std::string_view text);  ///< "12", or the booleans "00" and "01"
    void push_text_long(std::string_view text);     ///< "12L"
    void push_long(std::uint64_t size);             ///< two's complement of any size
    void push_double(std::string_view big_endian);
    void push_text(std::uint64_t size);  ///< the next bytes as they are
    void push_decoded(std::optional<std::string> text);

    // Containers.
    void mark() { marks_.push_back(stack_.size()); }
    Values pop_last(std::size_t count);
    Values pop_to_mark();
    void append(const Values& items);
    void set_items(const Values& items);
    void push_dict(const Values& items);

    // The memo.
    void remember(std::size_t slot);
    void remember_next() { remember(memo_.size()); }
    void recall(std::size_t slot);

    // Objects. Nothing is called: what a call would return is recorded.
    void push_class(std::string_view module, std::string_view name);
    void push_class_from_stack();
    void call();
    void make_object();
    void set_state();

    void check_protocol(int protocol) const;
    void stop() { document_.root = pop(); }
    bool stopped() const { return document_.root != nullptr; }
    PickleDocument take_document() { return std::move(document_); }

  private:
    static std::uint64_t integer_from(std::string_view little_endian);
    template <typename Number>
    Number parse(std::string_view text) const;

    void check_value_count() const;
    PickleValue& top();
    PickleValue* pop();
    void push_object(PickleClass type, const PickleValue* arguments);

    std::string_view bytes_;
    std::string_view file_;
    std::size_t position_ = 0;
    std::size_t instruction_ = 0;  // where the current one began
    std::vector<PickleValue*> stack_;
    std::vector<std::size_t> marks_;
    std::vector<PickleValue*> memo_;
    PickleDocument document_;
};

}  // namespace hwgcn
