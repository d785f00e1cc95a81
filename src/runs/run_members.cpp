#include "hwgcn/runs/run_folder.hpp"

namespace hwgcn {

std::vector<Member> members_of(const RunManifest& manifest) {
    std::vector<Member> members = {{manifest.settings, manifest.share}};
    for (const Member& other : manifest.others)
        members.push_back({other.settings, other.share});
    return members;
}

std::string run_label(const RunManifest& manifest) {
    return members_label(members_of(manifest));
}

}  // namespace hwgcn
