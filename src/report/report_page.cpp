#include "hwgcn/report/report_page.hpp"

#include <utility>

#include "hwgcn/support/version.hpp"

#include "report/page_assets.hpp"
#include "report/text.hpp"

namespace hwgcn {
namespace {

// Puts `text` where the page has {{name}}.
void fill(std::string& page, std::string_view name, std::string_view text) {
    const std::string place = "{{" + std::string(name) + "}}";
    page.replace(page.find(place), place.size(), text);
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
         {page_asset::parts, page_asset::charts, page_asset::run_sections, page_asset::result_sections,
          page_asset::explorer, page_asset::main})
        scripts += script;
    std::string html(page_asset::page);
    // What comes from outside last, so that nothing is looked for in it.
    fill(html, "style", page_asset::style);
    fill(html, "d3", page_asset::d3);
    fill(html, "licence", xml_text(page_asset::licence));
    fill(html, "script", scripts);
    fill(html, "version", version());
    fill(html, "title", xml_text(page.title));
    const std::string data = "{\"run\":" + page.run + ",\n\"results\":" + list_of(page.results) + "}";
    fill(html, "data", inside_script(data));
    return html;
}

}  // namespace hwgcn
