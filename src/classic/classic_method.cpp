#include "classic/classic_method.hpp"

#include <utility>

namespace hwgcn {
namespace {

using Maker = std::unique_ptr<ClassicMethod> (*)(const ClassicOptions&);

const std::vector<std::pair<std::string, Maker>>& makers() {
    static const std::vector<std::pair<std::string, Maker>> table = {{"lp", make_label_propagation},
                                                                     {"ica", make_ica},
                                                                     {"manireg", make_manireg},
                                                                     {"deepwalk", make_deepwalk}};
    return table;
}

}  // namespace

std::unique_ptr<ClassicMethod> make_classic_method(const std::string& name, const ClassicOptions& options) {
    validate_parameters(classic_parameters(), options);
    std::vector<std::string> names;
    for (const auto& [candidate, maker] : makers()) {
        if (candidate == name) return maker(options);
        names.push_back(candidate);
    }
    fail_unknown_name("method", name, names);
}

}  // namespace hwgcn
