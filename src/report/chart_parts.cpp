#include "report/chart_parts.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "report/text.hpp"

namespace hwgcn {
namespace {

constexpr double title_height = 48;
constexpr double axis_label_width = 44;
constexpr double legend_row_height = 20;
constexpr double legend_symbol_width = 34;
constexpr double legend_margins = 32;
constexpr std::size_t longest_legend_name = 24;
constexpr std::size_t longest_title = 76;
constexpr std::size_t longest_axis_label = 48;
constexpr std::size_t colors = 7;

// The palette of Okabe and Ito, made for colour-blind readers, without its yellow, which is lost on white;
// its black is the colour of the text, which shows on a dark page.
constexpr std::string_view style_sheet = R"(<style>
.hwgcn-chart{color:#1f2328}
.hwgcn-chart text{font-family:system-ui,-apple-system,"Segoe UI",sans-serif;font-size:12px;fill:currentColor}
.hwgcn-chart .title{font-size:16px;font-weight:600}
.hwgcn-chart .end{text-anchor:end}
.hwgcn-chart .middle{text-anchor:middle}
.hwgcn-chart .background{fill:#ffffff}
.hwgcn-chart .grid{stroke:#d8dee4}
.hwgcn-chart .axis{stroke:#59636e}
.hwgcn-chart .s0{fill:#0072b2;stroke:#0072b2}
.hwgcn-chart .s1{fill:#d55e00;stroke:#d55e00}
.hwgcn-chart .s2{fill:#009e73;stroke:#009e73}
.hwgcn-chart .s3{fill:#cc79a7;stroke:#cc79a7}
.hwgcn-chart .s4{fill:#e69f00;stroke:#e69f00}
.hwgcn-chart .s5{fill:#56b4e9;stroke:#56b4e9}
.hwgcn-chart .s6{fill:currentColor;stroke:currentColor}
.hwgcn-chart .hollow{fill:#ffffff;stroke-width:1.5}
.hwgcn-chart .line{fill:none;stroke-width:2}
.hwgcn-chart .line.hollow{fill:none;stroke-dasharray:7 4}
.hwgcn-chart .error{stroke-width:1.2}
.hwgcn-chart .neutral{stroke:currentColor}
.hwgcn-chart .reference{stroke:#59636e;stroke-width:1.5}
.hwgcn-chart .d0{stroke-dasharray:7 4}
.hwgcn-chart .d1{stroke-dasharray:2 3}
.hwgcn-chart .d2{stroke-dasharray:10 3 2 3}
.hwgcn-chart .d3{stroke-dasharray:14 4}
.hwgcn-chart .published{fill:#ffffff;stroke:#1f2328;stroke-width:1.5}
@media (prefers-color-scheme:dark){
.hwgcn-chart{color:#e6edf3}
.hwgcn-chart .background,.hwgcn-chart .hollow{fill:#0d1117}
.hwgcn-chart .grid{stroke:#30363d}
.hwgcn-chart .axis,.hwgcn-chart .reference{stroke:#9198a1}
}
</style>
)";

std::string draw_path(std::string_view path, std::string_view style) {
    return fmt::format("<path d=\"{}\" class=\"{}\"/>\n", path, style);
}

}  // namespace

double text_width(std::size_t characters) {
    // A generous mean at 12 px, because fonts differ.
    return 7.0 * static_cast<double>(characters);
}

PlotArea make_plot_area(const ChartAxis& value_axis, std::span<const LegendEntry> legend,
                        double space_below) {
    std::size_t tick_characters = 0;
    for (const double tick : axis_ticks(value_axis))
        tick_characters = std::max(tick_characters, tick_text(value_axis, tick).size());
    std::size_t legend_characters = 0;
    for (const LegendEntry& entry : legend)
        legend_characters = std::max(legend_characters, character_count(entry.name));
    legend_characters = std::min(legend_characters, longest_legend_name);
    return {.left = axis_label_width + text_width(tick_characters),
            .top = title_height,
            .right = chart_width - legend_symbol_width - text_width(legend_characters) - legend_margins,
            .bottom = chart_height - space_below};
}

std::string draw_chart(std::string_view title, std::string_view content) {
    std::string svg = fmt::format(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0} {1}\" width=\"{0}\" height=\"{1}\" "
        "role=\"img\" aria-label=\"{2}\" class=\"hwgcn-chart\">\n",
        chart_width, chart_height, xml_text(title));
    svg += style_sheet;
    svg +=
        fmt::format("<rect width=\"{}\" height=\"{}\" class=\"background\"/>\n", chart_width, chart_height);
    svg += draw_text(chart_width / 2, 28, "title middle", shorten(title, longest_title));
    svg += content;
    return svg + "</svg>\n";
}

std::string draw_value_axis(const PlotArea& area, const ChartAxis& axis, std::string_view label) {
    std::string svg;
    for (const double tick : axis_ticks(axis)) {
        const double y = coordinate(axis, tick, area.bottom, area.top);
        svg += draw_line(area.left, y, area.right, y, "grid");
        svg += draw_text(area.left - 8, y + 4, "end", tick_text(axis, tick));
    }
    svg += fmt::format("<text transform=\"translate(20 {:.2f}) rotate(-90)\" class=\"middle\">{}</text>\n",
                       (area.top + area.bottom) / 2, xml_text(shorten(label, longest_axis_label)));
    return svg;
}

std::string draw_legend(const PlotArea& area, std::span<const LegendEntry> legend) {
    std::string svg;
    const double left = area.right + 16;
    double y = area.top + legend_row_height / 2;
    for (const LegendEntry& entry : legend) {
        svg +=
            fmt::format("<g transform=\"translate({:.2f} {:.2f})\">\n{}</g>\n", left + 12, y, entry.symbol);
        svg += draw_text(left + legend_symbol_width, y + 4, "name", shorten(entry.name, longest_legend_name));
        y += legend_row_height;
    }
    return svg;
}

std::string draw_text(double x, double y, std::string_view style, std::string_view text) {
    return fmt::format("<text x=\"{:.2f}\" y=\"{:.2f}\" class=\"{}\">{}</text>\n", x, y, style,
                       xml_text(text));
}

std::string draw_line(double x1, double y1, double x2, double y2, std::string_view style) {
    return draw_path(fmt::format("M{:.2f} {:.2f}L{:.2f} {:.2f}", x1, y1, x2, y2), style);
}

std::string draw_error_bar(double x, double top, double bottom, std::string_view style) {
    constexpr double cap = 3.5;
    return draw_path(fmt::format("M{0:.2f} {2:.2f}H{1:.2f}M{3:.2f} {2:.2f}V{4:.2f}M{0:.2f} {4:.2f}H{1:.2f}",
                                 x - cap, x + cap, top, x, bottom),
                     style);
}

std::string draw_diamond(double x, double y, double radius, std::string_view style) {
    return draw_path(fmt::format("M{0:.2f} {1:.2f}l{2} {2}l-{2} {2}l-{2} -{2}z", x, y - radius, radius),
                     style);
}

std::string draw_marker(std::size_t series, double x, double y, std::string_view hint) {
    // Around (0, 0), about equally heavy to the eye.
    constexpr std::string_view shapes[colors] = {
        "M-4 0a4 4 0 1 0 8 0a4 4 0 1 0 -8 0z",                           // circle
        "M-3.6 -3.6h7.2v7.2h-7.2z",                                      // square
        "M0 -4.8L4.6 3.4H-4.6z",                                         // triangle
        "M0 -5.2L5.2 0L0 5.2L-5.2 0z",                                   // diamond
        "M0 4.8L4.6 -3.4H-4.6z",                                         // triangle, upside down
        "M-1.6 -4.8h3.2v3.2h3.2v3.2h-3.2v3.2h-3.2v-3.2h-3.2v-3.2h3.2z",  // plus
        "M0 -5L4.8 -1.5L2.9 4.1H-2.9L-4.8 -1.5z",                        // pentagon
    };
    const std::string title = hint.empty() ? "" : fmt::format("<title>{}</title>", xml_text(hint));
    return fmt::format("<path transform=\"translate({:.2f} {:.2f})\" d=\"{}\" class=\"{}\">{}</path>\n", x, y,
                       shapes[series % colors], series_style(series), title);
}

std::string series_style(std::size_t series) {
    return fmt::format("s{}{}", series % colors, series < colors ? "" : " hollow");
}

}  // namespace hwgcn
