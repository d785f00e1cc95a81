#pragma once

#include <string>
#include <vector>

namespace hwgcn {

/// One file to download: its name and the SHA-256 that its bytes must have.
struct PinnedFile {
    std::string name;
    std::string sha256;
};

/// A dataset that can be downloaded.
struct FetchPlan {
    std::string dataset;
    std::vector<PinnedFile> files;
};

/// The plans for cora, citeseer and pubmed (Planetoid files).
const std::vector<FetchPlan>& fetch_plans();

/// The base URLs, tried in order from the one that worked last; a file's URL is base + "/" + name.
const std::vector<std::string>& default_mirrors();

}  // namespace hwgcn
