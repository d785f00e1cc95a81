#pragma once

#include <cstdint>
#include <string_view>

#include "hwgcn/base/run_control.hpp"

namespace hwgcn {

/// Forwards the progress of one of several trainings at the same time, whose epochs are of different weight.
class WeighedProgress final : public ProgressSink {
  public:
    /// Without a target nothing happens.
    WeighedProgress(ProgressSink* target, std::int64_t weight) : target_(target), weight_(weight) {}

    void start(std::string_view, std::int64_t) override {}
    void advance(std::int64_t units) override {
        if (target_ != nullptr) target_->advance(units * weight_);
    }
    void finish() override {}

  private:
    ProgressSink* target_;
    std::int64_t weight_;
};

}  // namespace hwgcn
