#pragma once

namespace hwgcn::benchmarks {

void register_dense_products();
void register_device_kernels();
void register_products();
void register_ring_search();
void register_skip_gram();
void register_solver();
void register_weight_learning();

}  // namespace hwgcn::benchmarks
