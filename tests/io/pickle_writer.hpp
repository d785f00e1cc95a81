#pragma once

#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

namespace hwgcn::testing {

/// Writes pickles of protocol 2 the way Python 2 does. Each function returns instructions that leave one
/// value on the stack: they nest as the values do.
namespace pickled {

template <typename T>
std::string raw(const T& plain) {
    std::string bytes(sizeof plain, '\0');
    std::memcpy(bytes.data(), &plain, sizeof plain);
    return bytes;
}

template <typename T>
std::string raw(const std::vector<T>& values) {
    std::string bytes;
    for (const T& value : values)
        bytes += raw(value);
    return bytes;
}

inline std::string joined(const std::vector<std::string>& parts) {
    std::string all;
    for (const std::string& part : parts)
        all += part;
    return all;
}

inline std::string file(const std::string& value) {
    return "\x80\x02" + value + ".";
}
inline std::string integer(std::int32_t value) {
    return "J" + raw(value);
}
inline std::string boolean(bool value) {
    return value ? "\x88" : "\x89";
}
inline std::string text(const std::string& bytes) {
    return "T" + raw(static_cast<std::uint32_t>(bytes.size())) + bytes;
}
inline std::string tuple(const std::vector<std::string>& items) {
    return "(" + joined(items) + "t";
}
inline std::string list(const std::vector<std::string>& items) {
    return "](" + joined(items) + "e";
}
inline std::string dict(const std::vector<std::string>& keys_and_values) {
    return "}(" + joined(keys_and_values) + "u";
}
inline std::string global(const std::string& module, const std::string& name) {
    return "c" + module + "\n" + name + "\n";
}
inline std::string call(const std::string& function, const std::vector<std::string>& arguments) {
    return function + tuple(arguments) + "R";
}
inline std::string with_state(const std::string& object, const std::string& state) {
    return object + state + "b";
}

inline std::string integers(const std::vector<std::int32_t>& values) {
    std::vector<std::string> parts;
    for (const std::int32_t value : values)
        parts.push_back(integer(value));
    return tuple(parts);
}

inline std::string dtype(const std::string& order, const std::string& kind) {
    return with_state(call(global("numpy", "dtype"), {text(kind), integer(0), integer(1)}),
                      tuple({integer(3), text(order), "N", "N", "N", integer(-1), integer(-1), integer(0)}));
}

inline std::string array_with_payload(const std::string& type, const std::vector<std::int32_t>& shape,
                                      const std::string& payload, bool fortran_order = false) {
    const std::string shell = call(global("numpy.core.multiarray", "_reconstruct"),
                                   {global("numpy", "ndarray"), integers({0}), text("b")});
    return with_state(shell, tuple({integer(1), integers(shape), type, boolean(fortran_order), payload}));
}

inline std::string array(const std::string& type, const std::vector<std::int32_t>& shape,
                         const std::string& bytes, bool fortran_order = false) {
    return array_with_payload(type, shape, text(bytes), fortran_order);
}
inline std::string int_array(const std::vector<std::int32_t>& shape,
                             const std::vector<std::int32_t>& values) {
    return array(dtype("<", "i4"), shape, raw(values));
}

/// A scipy.sparse.csr_matrix of float32 and int32.
struct Csr {
    std::vector<std::int32_t> shape;
    std::vector<std::int32_t> indptr;
    std::vector<std::int32_t> indices;
    std::vector<float> data;
};
inline std::string csr_state(const Csr& matrix) {
    const auto size = [](const auto& values) { return static_cast<std::int32_t>(values.size()); };
    return dict({text("format"), text("csr"), text("_shape"), integers(matrix.shape), text("indptr"),
                 int_array({size(matrix.indptr)}, matrix.indptr), text("maxprint"), integer(50),
                 text("indices"), int_array({size(matrix.indices)}, matrix.indices), text("data"),
                 array(dtype("<", "f4"), {size(matrix.data)}, raw(matrix.data))});
}
inline std::string csr(const Csr& matrix) {
    return with_state(global("scipy.sparse.csr", "csr_matrix") + ")\x81", csr_state(matrix));
}

/// A defaultdict(list) of neighbors: element i lists those of node i.
inline std::string graph(const std::vector<std::vector<std::int32_t>>& neighbors) {
    std::vector<std::string> entries;
    for (std::size_t node = 0; node < neighbors.size(); ++node) {
        std::vector<std::string> items;
        for (const std::int32_t neighbor : neighbors[node])
            items.push_back(integer(neighbor));
        entries.push_back(integer(static_cast<std::int32_t>(node)));
        entries.push_back(list(items));
    }
    return call(global("collections", "defaultdict"), {global("__builtin__", "list")}) + "(" +
           joined(entries) + "u";
}

}  // namespace pickled
}  // namespace hwgcn::testing
