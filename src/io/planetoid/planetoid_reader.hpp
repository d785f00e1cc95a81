#pragma once

#include <array>
#include <string>
#include <string_view>

#include "hwgcn/dataset/dataset.hpp"

namespace hwgcn {

/// The eight files of a Planetoid dataset, in the order of PlanetoidFiles::contents.
inline constexpr std::array<std::string_view, 8> planetoid_parts = {"x",    "y",    "tx",    "ty",
                                                                    "allx", "ally", "graph", "test.index"};

struct PlanetoidFiles {
    std::string prefix;  ///< "data/ind.cora"
    std::array<std::string, 8> contents;
};

/// What `read_planetoid` does once the files are in memory.
Dataset assemble_planetoid(const PlanetoidFiles& files);

}  // namespace hwgcn
