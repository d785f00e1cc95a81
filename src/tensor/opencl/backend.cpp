#include "tensor/backend.hpp"

#include "tensor/opencl/device.hpp"
#include "tensor/opencl/device_list.hpp"

namespace hwgcn {
namespace opencl {

HWGCN_DEFINE_BACKEND

}  // namespace opencl

const gpu::Driver* gpu::opencl_driver() {
    static constexpr Driver driver{
        opencl::describe_devices,
        [](int number, std::string name, AddressRange addresses) -> std::unique_ptr<Device> {
            return std::make_unique<opencl::Device>(opencl::backend, number, std::move(name), addresses);
        }};
    return &driver;
}

}  // namespace hwgcn
