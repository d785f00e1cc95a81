#include "hwgcn/version.hpp"

namespace hwgcn {

std::string_view version() {
    return HWGCN_VERSION;
}

}  // namespace hwgcn
