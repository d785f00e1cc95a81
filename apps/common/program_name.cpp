#include "program_name.hpp"

namespace hwgcn::cli {
namespace {

const char* chosen_name = "hwgcn";

}  // namespace

const char* program_name() noexcept {
    return chosen_name;
}

void set_program_name(const char* name) noexcept {
    chosen_name = name;
}

}  // namespace hwgcn::cli
