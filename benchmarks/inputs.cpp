#include "inputs.hpp"

#include <cstdlib>
#include <map>

#include "hwgcn/io/readers.hpp"

namespace hwgcn::benchmarks {
namespace {

std::string data_directory() {
    const char* directory = std::getenv("HWGCN_DATA");
    return directory != nullptr ? directory : "";
}

}  // namespace

const Input& input(const std::string& dataset) {
    static std::map<std::string, Input> loaded;
    const auto found = loaded.find(dataset);
    if (found != loaded.end()) return found->second;
    const Dataset data = load_dataset(dataset, data_directory());
    return loaded.emplace(dataset, Input{graph_of(data), row_normalized(data.features)}).first->second;
}

std::vector<std::string> datasets() {
    std::vector<std::string> names{"synthetic"};
    if (data_directory().empty()) return names;
    for (const CatalogEntry& entry : list_datasets(data_directory())) {
        if (entry.name == "cora" || entry.name == "citeseer" || entry.name == "pubmed")
            names.push_back(entry.name);
    }
    return names;
}

}  // namespace hwgcn::benchmarks
