#include <fmt/format.h>

#include "hwgcn/runs/run_folder.hpp"
#include "hwgcn/support/error.hpp"

#include "support/utf8.hpp"

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

}  // namespace hwgcn
