#pragma once

namespace hwgcn::cli {

/// What messages begin with: "hwgcn", unless `set_program_name` says otherwise. The text stays the caller's.
const char* program_name() noexcept;
void set_program_name(const char* name) noexcept;

}  // namespace hwgcn::cli
