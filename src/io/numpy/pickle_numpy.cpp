#include "io/numpy/pickle_numpy.hpp"

#include <optional>
#include <string>

#include <fmt/format.h>

#include "base/fail.hpp"
#include "io/numpy/pickle.hpp"
#include "io/numpy/pickle_text.hpp"
#include "io/numpy/scipy_sparse.hpp"

namespace hwgcn {
namespace {

const PickleObject& expect_object(const PickleValue& value, PickleClass type, std::string_view what,
                                  std::string_view file) {
    const auto* object = std::get_if<PickleObject>(&value.content);
    if (object == nullptr || object->type != type) {
        fail_at_byte(file, value.offset, fmt::format("expected {}, found {}", what, pickled_kind(value)));
    }
    return *object;
}

// The elements of a tuple with at least `count` of them.
const std::vector<const PickleValue*>& expect_items(const PickleValue& tuple, std::size_t count,
                                                    std::string_view file) {
    const auto& items = expect_pickled<PickleTuple>(tuple, file).items;
    if (items.size() < count) {
        fail_at_byte(file, tuple.offset, fmt::format("a tuple of {}, expected {}", items.size(), count));
    }
    return items;
}

const PickleValue& expect_state(const PickleObject& object, const PickleValue& value, std::string_view file) {
    if (object.state == nullptr) fail_at_byte(file, value.offset, "an object without content");
    return *object.state;
}

std::string_view text_of(const PickleValue& value, std::string_view file) {
    return expect_pickled<PickleText>(value, file).bytes;
}

// Bytes are stored as they are, or as the text whose Latin-1 encoding they are.
std::string bytes_of(const PickleValue& value, std::string_view file) {
    if (!std::holds_alternative<PickleObject>(value.content)) return std::string(text_of(value, file));
    const PickleObject& encode = expect_object(value, PickleClass::encode, "bytes", file);
    std::optional<std::string> bytes =
        latin1_from_utf8(text_of(*expect_items(*encode.arguments, 1, file)[0], file));
    if (!bytes) fail_at_byte(file, value.offset, "text that is not the Latin-1 form of bytes");
    return std::move(*bytes);
}

// numpy.dtype('i4', ...) with the state (version, '<', ...), or without state where the order is the usual.
std::string dtype_of(const PickleValue& value, std::string_view file) {
    const PickleObject& dtype = expect_object(value, PickleClass::numpy_dtype, "a numpy dtype", file);
    const std::string_view kind = text_of(*expect_items(*dtype.arguments, 1, file)[0], file);
    if (dtype.state == nullptr) return std::string(kind);
    return std::string(text_of(*expect_items(*dtype.state, 2, file)[1], file)) + std::string(kind);
}

std::vector<std::int64_t> shape_of(const PickleValue& value, std::string_view file) {
    std::vector<std::int64_t> shape;
    for (const PickleValue* axis : expect_pickled<PickleTuple>(value, file).items)
        shape.push_back(pickled_integer(*axis, file));
    return shape;
}

std::string where_is(const PickleValue& value, std::string_view file) {
    return fmt::format("{}: array at byte {}", file, value.offset);
}

// The member of a pickled object's state under one of two names; SciPy has renamed some.
const PickleValue& member(const PickleValue& state, std::string_view name, std::string_view other_name,
                          std::string_view file) {
    for (const auto& [key, value] : expect_pickled<PickleDict>(state, file).entries) {
        const std::string_view text = text_of(*key, file);
        if (text == name || text == other_name) return *value;
    }
    fail_at_byte(file, state.offset, fmt::format("a csr_matrix without '{}'", name));
}

template <typename T>
std::vector<T> member_array(const PickleValue& state, std::string_view name, std::string_view file) {
    const PickleValue& value = member(state, name, name, file);
    const NumpyArray array = pickled_array(value, file);
    expect_axes(array, 1, where_is(value, file));
    return to_vector<T>(array, where_is(value, file));
}

}  // namespace

NumpyArray pickled_array(const PickleValue& value, std::string_view file) {
    const PickleObject& object = expect_object(value, PickleClass::numpy_ndarray, "a numpy array", file);
    // (version, shape, dtype, in Fortran order, bytes)
    const auto& state = expect_items(expect_state(object, value, file), 5, file);
    NumpyArray array;
    array.shape = shape_of(*state[1], file);
    array.dtype = dtype_of(*state[2], file);
    array.fortran_order = expect_pickled<bool>(*state[3], file);
    array.bytes = bytes_of(*state[4], file);
    element_count(array, where_is(value, file));
    return array;
}

CsrMatrix<float> pickled_csr_matrix(const PickleValue& value, std::string_view file) {
    const PickleObject& object =
        expect_object(value, PickleClass::scipy_csr_matrix, "a scipy csr_matrix", file);
    const PickleValue& state = expect_state(object, value, file);
    const CompressedArrays arrays{shape_of(member(state, "_shape", "shape", file), file),
                                  member_array<std::int64_t>(state, "indptr", file),
                                  member_array<Index>(state, "indices", file),
                                  member_array<float>(state, "data", file)};
    return to_csr(entries_of(arrays, Major::rows, file));
}

std::int64_t pickled_integer(const PickleValue& value, std::string_view file) {
    if (!std::holds_alternative<PickleObject>(value.content)) {
        return expect_pickled<std::int64_t>(value, file);
    }
    const PickleObject& scalar = expect_object(value, PickleClass::numpy_scalar, "an integer", file);
    const auto& arguments = expect_items(*scalar.arguments, 2, file);
    const NumpyArray array{dtype_of(*arguments[0], file), {}, false, bytes_of(*arguments[1], file)};
    return to_vector<std::int64_t>(array, where_is(value, file)).front();
}

}  // namespace hwgcn
