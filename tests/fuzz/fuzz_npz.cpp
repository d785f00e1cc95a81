// Any bytes as a .npz dataset: as the archive itself, or as the arrays in one whose checksums are right.
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "hwgcn/base/error.hpp"

#include "fuzz/sections.hpp"
#include "io/numpy/npz_reader.hpp"
#include "zip_writer.hpp"

namespace {

// make_corpus.py counts on this order.
constexpr std::string_view array_names[] = {
    "adj_data",    "adj_indices", "adj_indptr",  "adj_shape",        "attr_data",   "attr_indices",
    "attr_indptr", "attr_shape",  "labels",      "attr_matrix",      "class_names", "node_names",
    "attr_names",  "split_name",  "split_train", "split_validation", "split_test",  "format",
    "shape",       "data",        "indices",     "indptr",           "row",         "col"};

std::string archive_of(std::string_view input) {
    std::vector<hwgcn::testing::ZipMember> members;
    while (auto section = hwgcn::testing::take_section(input)) {
        const std::string_view name = array_names[section->file % std::size(array_names)];
        members.push_back({std::string(name) + ".npy", std::move(section->content)});
    }
    return hwgcn::testing::make_zip(members);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string_view input(reinterpret_cast<const char*>(data), size);
    const std::string archive = input.starts_with("PK") ? std::string(input) : archive_of(input);
    try {
        hwgcn::assemble_npz(hwgcn::read_npz_memory(archive, "fuzz.npz"));
    } catch (const hwgcn::Error&) {
    }
    return 0;
}
