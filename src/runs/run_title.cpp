#include "runs/run_title.hpp"

#include <algorithm>
#include <array>
#include <string_view>

namespace hwgcn {
namespace {

constexpr std::array<std::string_view, 4> words_for_edges = {"edges", "edge", "edge_list", "edgelist"};

const std::string* given_as(const RunManifest& manifest, std::string_view name) {
    const auto found = std::ranges::find(manifest.given, name, &Setting::name);
    return found == manifest.given.end() || found->text.empty() ? nullptr : &found->text;
}

}  // namespace

std::string run_title(const RunManifest& manifest) {
    if (const std::string* const name = given_as(manifest, title_setting)) return *name;
    const std::string* const edges = given_as(manifest, "edges");
    const bool says_little = std::ranges::find(words_for_edges, manifest.dataset) != words_for_edges.end();
    if (edges == nullptr || !says_little) return manifest.dataset;
    const std::string folder = std::filesystem::path(*edges).parent_path().filename().string();
    return folder.empty() ? manifest.dataset : folder;
}

}  // namespace hwgcn
