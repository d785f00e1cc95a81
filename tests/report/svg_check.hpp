#pragma once

#include <cctype>
#include <string>
#include <string_view>
#include <vector>

namespace hwgcn::testing {

/// What is wrong with the tags of an XML text, in words; "" where every one is closed in its order, every
/// attribute is quoted, and no stray '<' or '&' stands anywhere.
inline std::string markup_problem(std::string_view xml) {
    std::vector<std::string> open;
    bool root_seen = false;
    for (std::size_t at = 0; at < xml.size(); ++at) {
        if (xml[at] == '&') {
            const std::size_t end = xml.find(';', at);
            if (end == std::string_view::npos || end - at > 6) return "stray &";
        }
        if (xml[at] == '>') return "stray >";
        if (xml[at] != '<') {
            if (open.empty() && std::isspace(static_cast<unsigned char>(xml[at])) == 0)
                return "text outside the root";
            continue;
        }
        const std::size_t start = at + 1;
        bool quoted = false;
        for (++at; at < xml.size() && (quoted || xml[at] != '>'); ++at) {
            if (xml[at] == '"') quoted = !quoted;
            if (xml[at] == '<') return "< inside a tag";
        }
        if (at == xml.size()) return "unfinished tag";
        const std::string_view tag = xml.substr(start, at - start);
        const std::string name(tag.substr(0, tag.find_first_of(" \n/", 1)));
        if (name.starts_with('/')) {
            if (open.empty() || '/' + open.back() != name) return "closing tag without opening one: " + name;
            open.pop_back();
        } else {
            if (open.empty() && root_seen) return "second root: " + name;
            root_seen = true;
            if (!tag.ends_with('/')) open.push_back(name);
        }
    }
    if (!root_seen) return "no tag";
    return open.empty() ? "" : "not closed: " + open.back();
}

inline std::size_t occurrences(std::string_view text, std::string_view part) {
    std::size_t count = 0;
    for (std::size_t at = text.find(part); at != std::string_view::npos;
         at = text.find(part, at + part.size()))
        ++count;
    return count;
}

}  // namespace hwgcn::testing
