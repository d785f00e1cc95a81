#include "report/report_page.hpp"

#include <map>

#include "hwgcn/base/version.hpp"

#include "report/page_assets.hpp"
#include "report/text.hpp"

namespace hwgcn {
namespace {

// The page with a text in the place of each {{name}}. What is put in is not looked at again: texts from
// outside may hold whatever they want.
std::string filled(std::string_view page, const std::map<std::string_view, std::string>& texts) {
    std::string html;
    for (std::size_t start = page.find("{{"); start != std::string_view::npos; start = page.find("{{")) {
        const std::size_t end = page.find("}}", start);
        html += page.substr(0, start);
        html += texts.at(page.substr(start + 2, end - start - 2));
        page.remove_prefix(end + 2);
    }
    return html.append(page);
}

// JSON inside of a script element: no "</script>" and no "<!--" can come up in it. Both spellings are the
// same to a parser, and '<' stands only in strings.
std::string inside_script(std::string_view json) {
    std::string text;
    for (const char byte : json) {
        if (byte == '<') {
            text += "\\u003c";
        } else {
            text += byte;
        }
    }
    return text;
}

std::string list_of(const std::vector<std::string>& items) {
    std::string text;
    for (const std::string& item : items)
        text += (text.empty() ? "" : ",\n") + item;
    return "[" + text + "]";
}

}  // namespace

std::string report_html(const ReportPage& page) {
    std::string scripts;
    for (const std::string_view script :
         {page_asset::parts, page_asset::charts, page_asset::run_sections, page_asset::ranking_sections,
          page_asset::data_sections, page_asset::result_sections, page_asset::explorer, page_asset::main})
        scripts += script;
    const std::string data = "{\"run\":" + page.run + ",\n\"results\":" + list_of(page.results) + "}";
    return filled(page_asset::page, {{"style", std::string(page_asset::style)},
                                     {"d3", std::string(page_asset::d3)},
                                     {"licence", xml_text(page_asset::licence)},
                                     {"script", scripts},
                                     {"version", std::string(version())},
                                     {"title", xml_text(page.title)},
                                     {"data", inside_script(data)}});
}

}  // namespace hwgcn
