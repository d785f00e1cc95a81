# Makes a C++ file that holds the bytes of files:
#   cmake -DOUTPUT=assets.cpp -DNAMESPACE=assets -DHEADER=assets.hpp -DNAMES="a;b" -DFILES="a.js;b.css" -P embed.cmake
# defines std::string_view hwgcn::NAMESPACE::NAME for each of them, which HEADER declares.
set(text "#include <string_view>\n\n#include \"${HEADER}\"\n\nnamespace hwgcn::${NAMESPACE} {\n")
foreach(name file IN ZIP_LISTS NAMES FILES)
  file(READ "${file}" bytes HEX)
  string(REGEX REPLACE "(................................)" "\\1\n" bytes "${bytes}")
  string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes "${bytes}")
  string(APPEND text "namespace {\nconst unsigned char ${name}_bytes[] = {\n${bytes}\n0};\n}\n"
    "const std::string_view ${name}{reinterpret_cast<const char*>(${name}_bytes), sizeof ${name}_bytes - 1};\n")
endforeach()
file(WRITE "${OUTPUT}" "${text}}\n")
