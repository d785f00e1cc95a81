#pragma once

#include <string_view>

// The files of src/report/page/ and the library D3, embedded at build time (cmake/page_assets.cmake).
namespace hwgcn::page_asset {

extern const std::string_view page;  ///< with a place for each of the others
extern const std::string_view style;
extern const std::string_view parts;  ///< from here on scripts, in the order in which they are read
extern const std::string_view charts;
extern const std::string_view run_sections;
extern const std::string_view ranking_sections;
extern const std::string_view data_sections;
extern const std::string_view result_sections;
extern const std::string_view explorer;
extern const std::string_view main;
extern const std::string_view d3;
extern const std::string_view licence;  ///< of D3

}  // namespace hwgcn::page_asset
