#include "tensor/backend.hpp"

namespace hwgcn::cpu {

HWGCN_DEFINE_BACKEND

}  // namespace hwgcn::cpu
