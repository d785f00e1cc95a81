# What makes the build quick. Most of the compiler's time would go into the same headers and the same templates, once
# per file: of the standard library, fmt, nlohmann's JSON, CLI11, GoogleTest.
#
# - Headers from outside that most files need are compiled once (precompiled headers). Every file still includes what it
#   uses: tools/tidy and the fuzzers compile without them (CMAKE_DISABLE_PRECOMPILE_HEADERS).
# - The files of the program, of a folder of the library and of a folder of tests are compiled at once (unity build), so
#   that a template is compiled once for all of them: a third of the time. Not in the preset `dev`,
#   where a change in one file compiles one, nor in `fuzz`, which links the readers alone.
# - The program and the tests are compiled with -O1: their inner loops are in the library, which has -O3.

set(hwgcn_common_headers
  <algorithm> <array> <atomic> <bit> <charconv> <chrono> <cmath> <cstddef> <cstdint> <cstring> <exception> <filesystem>
  <functional> <limits> <map> <memory> <numeric> <optional> <span> <string> <string_view> <tuple> <type_traits>
  <unordered_map> <unordered_set> <utility> <vector>
  <fmt/format.h> <fmt/ranges.h>)

if(CMAKE_BUILD_TYPE STREQUAL "Release")
  set(hwgcn_quick_optimization -O1)
endif()

# All rooms use the headers that the first of them compiles.
function(hwgcn_compile_room_quickly target)
  if(target STREQUAL "hwgcn_base")
    target_precompile_headers(${target} PRIVATE ${hwgcn_common_headers})
  else()
    target_precompile_headers(${target} REUSE_FROM hwgcn_base)
  endif()
  set_target_properties(${target} PROPERTIES UNITY_BUILD ${HWGCN_UNITY_BUILD} UNITY_BUILD_MODE GROUP)
  if(target STREQUAL "hwgcn_methods")  # each of them has its own `parameters()`
    set_target_properties(${target} PROPERTIES UNITY_BUILD OFF)
  endif()
  file(GLOB kernels src/tensor/cpu/*kernels.cpp)  # which Highway compiles several times
  set_source_files_properties(${kernels} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
  get_target_property(files ${target} SOURCES)
  foreach(file IN LISTS files)
    cmake_path(GET file PARENT_PATH folder)
    cmake_path(GET folder FILENAME group)
    set_source_files_properties(${file} PROPERTIES UNITY_GROUP ${group})
  endforeach()
endfunction()

# Both programs use the headers that hwgcn_cli, which they share, compiles.
function(hwgcn_compile_program_quickly target)
  if(target STREQUAL "hwgcn_cli")
    target_precompile_headers(${target} PRIVATE ${hwgcn_common_headers} <nlohmann/json.hpp> <CLI/CLI.hpp>)
  else()
    target_precompile_headers(${target} REUSE_FROM hwgcn_cli)
  endif()
  get_target_property(type ${target} TYPE)
  if(type STREQUAL "OBJECT_LIBRARY")
    # As programs are compiled, which the shared headers need.
    set_target_properties(${target} PROPERTIES POSITION_INDEPENDENT_CODE OFF)
    target_compile_options(${target} PRIVATE -fPIE)
  endif()
  set_target_properties(${target} PROPERTIES UNITY_BUILD ${HWGCN_UNITY_BUILD} UNITY_BUILD_BATCH_SIZE 12)
  target_compile_options(${target} PRIVATE ${hwgcn_quick_optimization})
  if(HWGCN_SANITIZE)
    target_compile_options(${target} PRIVATE -O0)  # it waits for the library, and compiles in two thirds of the time
  endif()
endfunction()

# All test programs share the headers that the first of them compiles.
function(hwgcn_compile_tests_quickly target)
  get_property(first GLOBAL PROPERTY hwgcn_first_test)
  if(first)
    target_precompile_headers(${target} REUSE_FROM ${first})
  else()
    target_precompile_headers(${target} PRIVATE ${hwgcn_common_headers} <fstream> <set> <sstream> <thread>
      <gtest/gtest.h> <gmock/gmock.h> <nlohmann/json.hpp>)
    set_property(GLOBAL PROPERTY hwgcn_first_test ${target})
  endif()
  set_target_properties(${target} PROPERTIES UNITY_BUILD ${HWGCN_UNITY_BUILD} UNITY_BUILD_BATCH_SIZE 6)
  target_compile_options(${target} PRIVATE ${hwgcn_quick_optimization})
endfunction()
