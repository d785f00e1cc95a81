// Any eight contents as the files of a Planetoid dataset.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "hwgcn/base/error.hpp"

#include "fuzz/sections.hpp"
#include "io/planetoid/planetoid_reader.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    std::string_view input(reinterpret_cast<const char*>(data), size);
    hwgcn::PlanetoidFiles files{"ind.fuzz", {}};
    while (auto section = hwgcn::testing::take_section(input))
        files.contents[section->file % files.contents.size()] = std::move(section->content);
    try {
        hwgcn::assemble_planetoid(files);
    } catch (const hwgcn::Error&) {
    }
    return 0;
}
