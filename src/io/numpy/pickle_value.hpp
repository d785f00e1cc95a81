#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace hwgcn {

struct PickleValue;

/// The classes and functions that a pickle may name. They are recorded by name, never called.
enum class PickleClass {
    numpy_ndarray,
    numpy_dtype,
    numpy_reconstruct,  ///< makes an empty ndarray, whose state follows
    numpy_scalar,
    scipy_csr_matrix,
    reconstructor,  ///< makes an object of a class, whose state follows
    encode,         ///< bytes that an older protocol had to store as text
    default_dict,
    object,
    list,
    dict,
    bytes,
};

struct PickleNone {};

/// Text or bytes: Python 2 does not tell them apart.
struct PickleText {
    std::string_view bytes;
};
struct PickleList {
    std::vector<const PickleValue*> items;
};
struct PickleTuple {
    std::vector<const PickleValue*> items;
};
struct PickleDict {
    std::vector<std::pair<const PickleValue*, const PickleValue*>> entries;
};
struct PickleObject {
    PickleClass type;
    const PickleValue* arguments;        ///< a tuple
    const PickleValue* state = nullptr;  ///< null: none was set
};

struct PickleValue {
    std::int64_t offset;  ///< of the instruction that made it, for messages
    std::variant<PickleNone, bool, std::int64_t, double, PickleText, PickleList, PickleTuple, PickleDict,
                 PickleClass, PickleObject>
        content;
};

/// A decoded pickle. Values refer to each other freely, in circles too, and are freed together.
/// Texts point into the bytes that were decoded.
struct PickleDocument {
    std::deque<PickleValue> values;  // a deque never moves its elements
    std::deque<std::string> texts;   // those that were written with escapes
    const PickleValue* root = nullptr;
};

}  // namespace hwgcn
