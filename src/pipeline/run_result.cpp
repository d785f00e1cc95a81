#include "hwgcn/pipeline/train_run.hpp"

namespace hwgcn {

RunResult numbers_of(RunResult result) {
    for (Metrics* const part : {&result.train, &result.validation, &result.test})
        *part = numbers_of(*part);
    return result;
}

Judged judged_by(const RunResult& result, const std::optional<Choice>& choice) {
    if (result.test.count > 0) return {&result.test, "test nodes"};
    if (result.validation.count > 0) return {&result.validation, "validation nodes"};
    if (!choice || choice->tried.empty()) return {};
    return {&choice->tried[choice->chosen].held_out, "held-out labels"};
}

}  // namespace hwgcn
