# The OpenCL kernels become part of the library.
set(gpu_kernels common products rows elementwise losses dropout normalization layer_normalization attention)
list(TRANSFORM gpu_kernels PREPEND ${CMAKE_CURRENT_SOURCE_DIR}/src/tensor/opencl/kernels/ OUTPUT_VARIABLE gpu_kernel_files)
list(TRANSFORM gpu_kernel_files APPEND .cl)
set(gpu_kernel_sources ${CMAKE_CURRENT_BINARY_DIR}/gpu_kernels.cpp)
add_custom_command(OUTPUT ${gpu_kernel_sources}
  COMMAND ${CMAKE_COMMAND} -DNAMESPACE=kernel_source -DHEADER=tensor/opencl/kernel_sources.hpp "-DNAMES=${gpu_kernels}"
    "-DFILES=${gpu_kernel_files}" -DOUTPUT=${gpu_kernel_sources} -P ${CMAKE_CURRENT_SOURCE_DIR}/cmake/embed.cmake
  DEPENDS ${gpu_kernel_files} ${CMAKE_CURRENT_SOURCE_DIR}/cmake/embed.cmake
  COMMENT "Embedding the OpenCL kernels" VERBATIM)
target_sources(hwgcn_tensor PRIVATE ${gpu_kernel_sources})
