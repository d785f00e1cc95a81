#include "io/numpy/pickle.hpp"

#include <array>

#include <fmt/format.h>

#include "base/fail.hpp"
#include "io/numpy/pickle_machine.hpp"
#include "io/numpy/pickle_text.hpp"

namespace hwgcn {
namespace {

using Machine = PickleMachine;

struct Instruction {
    std::uint8_t code;
    void (*run)(Machine&);
};

// What pickles of plain values, arrays and CSR matrices are made of; everything else is refused.
constexpr Instruction instructions[] = {
    // framing
    {0x80, [](Machine& m) { m.check_protocol(m.take_integer<std::uint8_t>()); }},
    {0x95, [](Machine& m) { m.take(8); }},  // the length of a frame, of use only to a stream
    {'.', [](Machine& m) { m.stop(); }},
    // numbers
    {'N', [](Machine& m) { m.push(PickleNone{}); }},
    {0x88, [](Machine& m) { m.push(true); }},
    {0x89, [](Machine& m) { m.push(false); }},
    {'I', [](Machine& m) { m.push_text_integer(m.take_line()); }},
    {'J', [](Machine& m) { m.push_integer(m.take_integer<std::int32_t>()); }},
    {'K', [](Machine& m) { m.push_integer(m.take_integer<std::uint8_t>()); }},
    {'M', [](Machine& m) { m.push_integer(m.take_integer<std::uint16_t>()); }},
    {'L', [](Machine& m) { m.push_text_long(m.take_line()); }},
    {0x8a, [](Machine& m) { m.push_long(m.take_integer<std::uint8_t>()); }},
    {0x8b, [](Machine& m) { m.push_long(m.take_integer<std::uint32_t>()); }},
    {'F', [](Machine& m) { m.push(m.take_number_line<double>()); }},
    {'G', [](Machine& m) { m.push_double(m.take(sizeof(double))); }},
    // text and bytes
    {'S', [](Machine& m) { m.push_decoded(decode_string_literal(m.take_line())); }},
    {'V', [](Machine& m) { m.push_decoded(decode_raw_unicode(m.take_line())); }},
    {'U', [](Machine& m) { m.push_text(m.take_integer<std::uint8_t>()); }},
    {'C', [](Machine& m) { m.push_text(m.take_integer<std::uint8_t>()); }},
    {0x8c, [](Machine& m) { m.push_text(m.take_integer<std::uint8_t>()); }},
    {'T', [](Machine& m) { m.push_text(m.take_integer<std::uint32_t>()); }},
    {'B', [](Machine& m) { m.push_text(m.take_integer<std::uint32_t>()); }},
    {'X', [](Machine& m) { m.push_text(m.take_integer<std::uint32_t>()); }},
    {0x8d, [](Machine& m) { m.push_text(m.take_integer<std::uint64_t>()); }},
    {0x8e, [](Machine& m) { m.push_text(m.take_integer<std::uint64_t>()); }},
    // containers
    {'(', [](Machine& m) { m.mark(); }},
    {']', [](Machine& m) { m.push(PickleList{}); }},
    {'l', [](Machine& m) { m.push(PickleList{m.pop_to_mark()}); }},
    {'a', [](Machine& m) { m.append(m.pop_last(1)); }},
    {'e', [](Machine& m) { m.append(m.pop_to_mark()); }},
    {')', [](Machine& m) { m.push(PickleTuple{}); }},
    {'t', [](Machine& m) { m.push(PickleTuple{m.pop_to_mark()}); }},
    {0x85, [](Machine& m) { m.push(PickleTuple{m.pop_last(1)}); }},
    {0x86, [](Machine& m) { m.push(PickleTuple{m.pop_last(2)}); }},
    {0x87, [](Machine& m) { m.push(PickleTuple{m.pop_last(3)}); }},
    {'}', [](Machine& m) { m.push(PickleDict{}); }},
    {'d', [](Machine& m) { m.push_dict(m.pop_to_mark()); }},
    {'s', [](Machine& m) { m.set_items(m.pop_last(2)); }},
    {'u', [](Machine& m) { m.set_items(m.pop_to_mark()); }},
    // the memo
    {'p', [](Machine& m) { m.remember(m.take_number_line<std::uint32_t>()); }},
    {'q', [](Machine& m) { m.remember(m.take_integer<std::uint8_t>()); }},
    {'r', [](Machine& m) { m.remember(m.take_integer<std::uint32_t>()); }},
    {0x94, [](Machine& m) { m.remember_next(); }},
    {'g', [](Machine& m) { m.recall(m.take_number_line<std::uint32_t>()); }},
    {'h', [](Machine& m) { m.recall(m.take_integer<std::uint8_t>()); }},
    {'j', [](Machine& m) { m.recall(m.take_integer<std::uint32_t>()); }},
    // classes and objects
    {'c',
     [](Machine& m) {
         const std::string_view module = m.take_line();
         m.push_class(module, m.take_line());
     }},
    {0x93, [](Machine& m) { m.push_class_from_stack(); }},
    {'R', [](Machine& m) { m.call(); }},
    {0x81, [](Machine& m) { m.make_object(); }},
    {'b', [](Machine& m) { m.set_state(); }},
};

constexpr auto by_code = [] {
    std::array<void (*)(Machine&), 256> table{};
    for (const Instruction& instruction : instructions)
        table[instruction.code] = instruction.run;
    return table;
}();

// In the order of the alternatives of PickleValue::content.
constexpr std::array<std::string_view, 10> kind_names = {"None",     "a boolean", "an integer", "a number",
                                                         "a string", "a list",    "a tuple",    "a dict",
                                                         "a class",  "an object"};
static_assert(kind_names.size() == std::variant_size_v<decltype(PickleValue::content)>);

}  // namespace

PickleDocument decode_pickle(std::string_view bytes, std::string_view file) {
    Machine machine(bytes, file);
    while (!machine.stopped()) {
        const std::uint8_t code = machine.start_instruction();
        if (by_code[code] == nullptr) {
            machine.fail(fmt::format("instruction {:#04x}, which no pickle of an array needs", code));
        }
        by_code[code](machine);
    }
    return machine.take_document();
}

std::string_view pickled_kind(const PickleValue& value) {
    return kind_names[value.content.index()];
}

template <typename T>
const T& expect_pickled(const PickleValue& value, std::string_view file) {
    if (const T* content = std::get_if<T>(&value.content)) return *content;
    const std::size_t expected = decltype(PickleValue::content)(T{}).index();
    fail_at_byte(file, value.offset,
                 fmt::format("expected {}, found {}", kind_names[expected], pickled_kind(value)));
}

template const bool& expect_pickled(const PickleValue&, std::string_view);
template const std::int64_t& expect_pickled(const PickleValue&, std::string_view);
template const PickleText& expect_pickled(const PickleValue&, std::string_view);
template const PickleList& expect_pickled(const PickleValue&, std::string_view);
template const PickleTuple& expect_pickled(const PickleValue&, std::string_view);
template const PickleDict& expect_pickled(const PickleValue&, std::string_view);
template const PickleClass& expect_pickled(const PickleValue&, std::string_view);
template const PickleObject& expect_pickled(const PickleValue&, std::string_view);

}  // namespace hwgcn
