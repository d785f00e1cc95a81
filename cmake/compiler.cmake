# Compiler settings shared by every target of the project, never exported to clients.
add_library(hwgcn_compiler_settings INTERFACE)
target_compile_options(hwgcn_compiler_settings INTERFACE
  -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wno-sign-conversion -Wnon-virtual-dtor -Woverloaded-virtual
  # a*b+c is never fused behind our back: the same bits on every instruction set.
  -ffp-contract=off)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # False alarms of GCC 12 inside std::string and fmt.
  target_compile_options(hwgcn_compiler_settings INTERFACE -Wno-restrict -Wno-stringop-overflow -Wno-array-bounds)
endif()
if(HWGCN_WARNINGS_AS_ERRORS)
  target_compile_options(hwgcn_compiler_settings INTERFACE -Werror)
endif()
if(HWGCN_SANITIZE)
  target_compile_options(hwgcn_compiler_settings INTERFACE -fsanitize=address -fno-omit-frame-pointer)
  target_link_options(hwgcn_compiler_settings INTERFACE -fsanitize=address,undefined)
endif()
# For the library and the program, not for the tests: their code is not what is tested, and compiles in half the time.
add_library(hwgcn_undefined_behavior INTERFACE)
if(HWGCN_SANITIZE)
  target_compile_options(hwgcn_undefined_behavior INTERFACE -fsanitize=undefined -fno-sanitize-recover=all)
endif()
if(HWGCN_BUILD_FUZZERS)
  if(NOT CMAKE_CXX_COMPILER_ID MATCHES "Clang")
    message(FATAL_ERROR "The fuzzers need Clang: cmake --preset fuzz")
  endif()
  # The library is instrumented, too: the fuzzer looks for inputs that reach new code in it.
  target_compile_options(hwgcn_compiler_settings INTERFACE -fsanitize=fuzzer-no-link)
endif()
