#pragma once

#include <functional>
#include <string>

#include <hwy/targets.h>

namespace hwgcn::testing {

/// Runs `compute` once for every instruction set of this processor.
inline void for_every_instruction_set(const std::function<void(const std::string& name)>& compute) {
    for (const std::int64_t target : hwy::SupportedAndGeneratedTargets()) {
        hwy::SetSupportedTargetsForTest(target);
        hwy::GetChosenTarget().Update(hwy::SupportedTargets());
        compute(hwy::TargetName(target));
    }
    hwy::SetSupportedTargetsForTest(0);
    hwy::GetChosenTarget().Update(hwy::SupportedTargets());
}

}  // namespace hwgcn::testing
