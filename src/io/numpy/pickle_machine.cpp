#include "io/numpy/pickle_machine.hpp"

#include <bit>

#include <fmt/format.h>

#include "base/fail.hpp"
#include "base/number_text.hpp"
#include "base/text_file.hpp"
#include "io/numpy/pickle.hpp"

namespace hwgcn {
namespace {

constexpr int newest_protocol = 4;

// A value takes about 50 bytes; more of them than this is no graph that a pickle was ever used for.
constexpr std::size_t max_values = std::size_t{1} << 26;

struct KnownClass {
    std::string_view module;
    std::string_view name;
    PickleClass type;
};
constexpr KnownClass known_classes[] = {
    {"numpy", "ndarray", PickleClass::numpy_ndarray},
    {"numpy", "dtype", PickleClass::numpy_dtype},
    {"numpy.core.multiarray", "_reconstruct", PickleClass::numpy_reconstruct},
    {"numpy._core.multiarray", "_reconstruct", PickleClass::numpy_reconstruct},
    {"numpy.core.multiarray", "scalar", PickleClass::numpy_scalar},
    {"numpy._core.multiarray", "scalar", PickleClass::numpy_scalar},
    {"scipy.sparse.csr", "csr_matrix", PickleClass::scipy_csr_matrix},
    {"scipy.sparse._csr", "csr_matrix", PickleClass::scipy_csr_matrix},
    {"copy_reg", "_reconstructor", PickleClass::reconstructor},
    {"copyreg", "_reconstructor", PickleClass::reconstructor},
    {"_codecs", "encode", PickleClass::encode},
    {"collections", "defaultdict", PickleClass::default_dict},
    {"__builtin__", "object", PickleClass::object},
    {"builtins", "object", PickleClass::object},
    {"__builtin__", "list", PickleClass::list},
    {"builtins", "list", PickleClass::list},
    {"__builtin__", "dict", PickleClass::dict},
    {"builtins", "dict", PickleClass::dict},
    {"__builtin__", "bytes", PickleClass::bytes},
    {"builtins", "bytes", PickleClass::bytes},
};

}  // namespace

std::uint8_t PickleMachine::start_instruction() {
    instruction_ = position_;
    return take_integer<std::uint8_t>();
}

void PickleMachine::fail(std::string_view message) const {
    fail_at_byte(file_, static_cast<std::int64_t>(instruction_), message);
}

std::string_view PickleMachine::take(std::uint64_t count) {
    const std::size_t left = bytes_.size() - position_;
    if (count > left) fail(fmt::format("needs {} more bytes, but the file ends after {}", count, left));
    const std::string_view taken = bytes_.substr(position_, count);
    position_ += count;
    return taken;
}

std::string_view PickleMachine::take_line() {
    const std::size_t end = bytes_.find('\n', position_);
    if (end == std::string_view::npos) fail("the file ends within a line");
    const std::string_view line = take(end - position_);
    ++position_;
    return line;
}

std::uint64_t PickleMachine::integer_from(std::string_view little_endian) {
    std::uint64_t value = 0;
    for (std::size_t i = little_endian.size(); i-- > 0;)
        value = value << 8 | static_cast<unsigned char>(little_endian[i]);
    return value;
}

template <typename Number>
Number PickleMachine::parse(std::string_view text) const {
    const std::optional<Number> number = parse_number<Number>(text);
    if (!number) fail(fmt::format("'{}' is not a number of {} bits", excerpt(text), 8 * sizeof(Number)));
    return *number;
}
template std::uint32_t PickleMachine::parse(std::string_view) const;
template double PickleMachine::parse(std::string_view) const;

void PickleMachine::push_text_integer(std::string_view text) {
    if (text == "00" || text == "01") {
        push(text == "01");
    } else {
        push(parse<std::int64_t>(text));
    }
}

void PickleMachine::push_text_long(std::string_view text) {
    if (text.ends_with('L')) text.remove_suffix(1);
    push(parse<std::int64_t>(text));
}

void PickleMachine::push_long(std::uint64_t size) {
    const std::string_view bytes = take(size);
    if (size > 8) fail(fmt::format("an integer of {} bytes, expected at most 8", size));
    std::uint64_t value = integer_from(bytes);
    const bool negative = size > 0 && static_cast<unsigned char>(bytes.back()) >= 0x80;
    if (negative && size < 8) value |= ~std::uint64_t{0} << (8 * size);
    push(static_cast<std::int64_t>(value));
}

void PickleMachine::push_double(std::string_view big_endian) {
    const std::string little_endian(big_endian.rbegin(), big_endian.rend());
    push(std::bit_cast<double>(integer_from(little_endian)));
}

void PickleMachine::push_text(std::uint64_t size) {
    push(PickleText{take(size)});
}

void PickleMachine::push_decoded(std::optional<std::string> text) {
    if (!text) fail("a malformed string");
    push(PickleText{document_.texts.emplace_back(std::move(*text))});
}

void PickleMachine::check_value_count() const {
    if (document_.values.size() == max_values) fail(fmt::format("more than {} values", max_values));
}

PickleValue& PickleMachine::top() {
    // An instruction may not reach below the last mark.
    const std::size_t floor = marks_.empty() ? 0 : marks_.back();
    if (stack_.size() <= floor) fail("needs a value, but the stack is empty");
    return *stack_.back();
}

PickleValue* PickleMachine::pop() {
    PickleValue* value = &top();
    stack_.pop_back();
    return value;
}

PickleMachine::Values PickleMachine::pop_last(std::size_t count) {
    Values values(count);
    for (std::size_t i = count; i-- > 0;)
        values[i] = pop();
    return values;
}

PickleMachine::Values PickleMachine::pop_to_mark() {
    if (marks_.empty()) fail("needs a mark, but none was set");
    Values values = pop_last(stack_.size() - marks_.back());
    marks_.pop_back();
    return values;
}

void PickleMachine::append(const Values& items) {
    auto* list = std::get_if<PickleList>(&top().content);
    if (list == nullptr) fail(fmt::format("appends to {}, expected a list", pickled_kind(top())));
    list->items.insert(list->items.end(), items.begin(), items.end());
}

void PickleMachine::set_items(const Values& items) {
    auto* dict = std::get_if<PickleDict>(&top().content);
    if (dict == nullptr) fail(fmt::format("sets items of {}, expected a dict", pickled_kind(top())));
    if (items.size() % 2 != 0) fail("a dict with a key but no value");
    for (std::size_t i = 0; i < items.size(); i += 2)
        dict->entries.emplace_back(items[i], items[i + 1]);
}

void PickleMachine::push_dict(const Values& items) {
    push(PickleDict{});
    set_items(items);
}

void PickleMachine::remember(std::size_t slot) {
    // Python counts its slots from 0 or from 1, without a gap.
    if (slot > memo_.size() + 1) fail(fmt::format("memo slot {}, after {} slots", slot, memo_.size()));
    if (slot >= memo_.size()) memo_.resize(slot + 1, nullptr);
    memo_[slot] = &top();
}

void PickleMachine::recall(std::size_t slot) {
    if (slot >= memo_.size() || memo_[slot] == nullptr) fail(fmt::format("memo slot {} is empty", slot));
    stack_.push_back(memo_[slot]);
}

void PickleMachine::push_class(std::string_view module, std::string_view name) {
    for (const KnownClass& known : known_classes) {
        if (known.module == module && known.name == name) return push(known.type);
    }
    fail(fmt::format("refuses to load class {}.{}; a Planetoid file needs only numpy and scipy arrays",
                     excerpt(module), excerpt(name)));
}

void PickleMachine::push_class_from_stack() {
    const std::string_view name = expect_pickled<PickleText>(*pop(), file_).bytes;
    const std::string_view module = expect_pickled<PickleText>(*pop(), file_).bytes;
    push_class(module, name);
}

void PickleMachine::call() {
    const PickleValue* arguments = pop();
    const auto& items = expect_pickled<PickleTuple>(*arguments, file_).items;
    const auto type = expect_pickled<PickleClass>(*pop(), file_);
    if (type == PickleClass::default_dict || (type == PickleClass::dict && items.empty())) {
        push(PickleDict{});
    } else if (type == PickleClass::list && items.empty()) {
        push(PickleList{});
    } else if (type == PickleClass::bytes && items.empty()) {
        push(PickleText{});
    } else if (type == PickleClass::numpy_dtype || type == PickleClass::numpy_scalar ||
               type == PickleClass::encode) {
        push(PickleObject{type, arguments});
    } else if (type == PickleClass::numpy_reconstruct) {
        push_object(PickleClass::numpy_ndarray, arguments);
    } else if (type == PickleClass::reconstructor && !items.empty()) {
        push_object(expect_pickled<PickleClass>(*items[0], file_), arguments);
    } else {
        fail(fmt::format("a call with {} arguments that no pickle of an array makes", items.size()));
    }
}

void PickleMachine::make_object() {
    const PickleValue* arguments = pop();
    push_object(expect_pickled<PickleClass>(*pop(), file_), arguments);
}

void PickleMachine::push_object(PickleClass type, const PickleValue* arguments) {
    expect_pickled<PickleTuple>(*arguments, file_);
    if (type != PickleClass::numpy_ndarray && type != PickleClass::scipy_csr_matrix) {
        fail("makes an object that is neither a NumPy array nor a SciPy CSR matrix");
    }
    push(PickleObject{type, arguments});
}

void PickleMachine::set_state() {
    const PickleValue* state = pop();
    auto* object = std::get_if<PickleObject>(&top().content);
    if (object == nullptr) fail(fmt::format("sets the state of {}", pickled_kind(top())));
    object->state = state;
}

void PickleMachine::check_protocol(int protocol) const {
    if (protocol > newest_protocol) {
        fail(fmt::format("pickle protocol {}, expected 0 to {}", protocol, newest_protocol));
    }
}

}  // namespace hwgcn
