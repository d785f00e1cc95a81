# hwgcn_room(NAME [PACKAGE..]): the folder src/NAME as the target hwgcn_NAME, objects of which libraries and programs are
# made. It includes only itself and the rooms before it, and of outside libraries fmt, the threads of the system and
# the packages that are named (tools/check_layers). Whatever links it links these packages.
function(hwgcn_room name)
  set(target hwgcn_${name})
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS src/${name}/*.cpp)
  list(REMOVE_ITEM sources ${hwgcn_left_out})
  add_library(${target} OBJECT ${sources})
  target_include_directories(${target} PUBLIC include src)
  target_link_libraries(${target} PUBLIC fmt::fmt Threads::Threads ${ARGN}
    PRIVATE hwgcn_compiler_settings hwgcn_undefined_behavior)
  hwgcn_compile_room_quickly(${target})
  set(hwgcn_rooms ${hwgcn_rooms} ${name} PARENT_SCOPE)
  set(hwgcn_objects ${hwgcn_objects} $<TARGET_OBJECTS:${target}> PARENT_SCOPE)
  set(hwgcn_packages ${hwgcn_packages} ${ARGN} PARENT_SCOPE)
endfunction()

# An optional part is a folder; where it is left out, a file says so. hwgcn_parts are those that are there.
function(hwgcn_optional_parts)
  foreach(part IN LISTS ARGN)
    cmake_path(GET part FILENAME name)
    cmake_path(GET part PARENT_PATH room)
    file(GLOB files src/${part}/*.cpp)
    if(hwgcn_has_${name})
      file(GLOB files src/${room}/no_${name}.cpp)
      list(APPEND parts ${part})
    endif()
    list(APPEND left_out ${files})
  endforeach()
  set(hwgcn_parts ${parts} PARENT_SCOPE)
  set(hwgcn_left_out ${left_out} PARENT_SCOPE)
endfunction()
