// Any bytes as a pickle, and the values in it as array, matrix and integer. Only the errors that the library
// throws on purpose may come out.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "hwgcn/base/error.hpp"

#include "io/numpy/pickle.hpp"
#include "io/numpy/pickle_numpy.hpp"

namespace {

template <typename Work>
void ignoring_errors(const Work& work) {
    try {
        work();
    } catch (const hwgcn::Error&) {
    }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string_view bytes(reinterpret_cast<const char*>(data), size);
    ignoring_errors([&] {
        const hwgcn::PickleDocument document = hwgcn::decode_pickle(bytes, "file");
        const hwgcn::PickleValue& root = *document.root;
        ignoring_errors([&] { hwgcn::to_vector<float>(hwgcn::pickled_array(root, "file"), "file"); });
        ignoring_errors([&] { hwgcn::to_vector<std::int32_t>(hwgcn::pickled_array(root, "file"), "file"); });
        ignoring_errors([&] { hwgcn::to_strings(hwgcn::pickled_array(root, "file"), "file"); });
        ignoring_errors([&] { hwgcn::validate_csr(hwgcn::pickled_csr_matrix(root, "file"), "file"); });
        ignoring_errors([&] { hwgcn::pickled_integer(root, "file"); });
    });
    return 0;
}
