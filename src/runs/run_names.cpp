#include <fmt/format.h>

#include "hwgcn/runs/run_folder.hpp"

#include "base/fail.hpp"
#include "base/hash.hpp"
#include "base/utf8.hpp"
#include "runs/run_files.hpp"

namespace hwgcn {

void check_run_names(const std::filesystem::path& folder, const std::vector<Setting>& given,
                     const Split& split, const Dataset& dataset) {
    const auto check = [&](const std::string& name) {
        if (is_utf8(name)) return;
        fail_in_file(
            (folder / run_file::manifest).string(),
            fmt::format("cannot be written: '{}' is not valid UTF-8, which JSON requires; give the file or "
                        "folder another name",
                        name));
    };
    for (const Setting& setting : given)
        check(setting.text);
    check(dataset.source);
    check_split_names(folder / run_file::split, split, dataset);
}

// Training may go on on another device; how classes are decided comes after it.
std::string training_name(const RunManifest& manifest) {
    Sha256 hash;
    for (const Setting& setting : listed_settings(manifest.settings)) {
        if (setting.name != "device") hash.text(setting.name).text(setting.text);
    }
    hash.value(manifest.results).value(manifest.seed).array(manifest.decision.class_weights);
    return hash.text(manifest.dataset_hash).text(manifest.split_hash).hex();
}

}  // namespace hwgcn
