# The page of `hwgcn report` and D3, which draws its charts (Debian's node-d3), become part of the library.
find_file(D3_SCRIPT d3.min.js PATHS /usr/share/nodejs/d3/dist NO_DEFAULT_PATH REQUIRED)
find_file(D3_LICENCE copyright PATHS /usr/share/doc/node-d3 NO_DEFAULT_PATH REQUIRED)
mark_as_advanced(D3_SCRIPT D3_LICENCE)

set(page_folder ${CMAKE_CURRENT_SOURCE_DIR}/src/report/page)
set(page_assets page style parts charts run_sections ranking_sections data_sections result_sections explorer main d3 licence)
set(page_files ${page_folder}/page.html ${page_folder}/style.css ${page_folder}/parts.js ${page_folder}/charts.js
  ${page_folder}/run_sections.js ${page_folder}/ranking_sections.js ${page_folder}/data_sections.js
  ${page_folder}/result_sections.js
  ${page_folder}/explorer.js ${page_folder}/main.js ${D3_SCRIPT} ${D3_LICENCE})
set(embedded ${CMAKE_CURRENT_BINARY_DIR}/page_assets.cpp)
add_custom_command(OUTPUT ${embedded}
  COMMAND ${CMAKE_COMMAND} -DNAMESPACE=page_asset -DHEADER=report/page_assets.hpp "-DNAMES=${page_assets}" "-DFILES=${page_files}" -DOUTPUT=${embedded}
    -P ${CMAKE_CURRENT_SOURCE_DIR}/cmake/embed.cmake
  DEPENDS ${page_files} ${CMAKE_CURRENT_SOURCE_DIR}/cmake/embed.cmake
  COMMENT "Embedding the report page" VERBATIM)
target_sources(hwgcn_report PRIVATE ${embedded})
