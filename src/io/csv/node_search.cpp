#include "io/csv/node_search.hpp"

#include <optional>

namespace hwgcn {

std::string_view id_in(const CsvTable& record, std::size_t column) {
    const std::string_view id = record.fields()[column];
    if (id.empty()) record.fail("a node id is empty");
    return id;
}

void KnownSearch::ask(const CsvTable& record, std::span<const std::size_t> fields, const Hint& hint) {
    for (const std::size_t field : fields) {
        const std::optional<Index> node = nodes_.ids.find(record.fields()[field]);
        if (!node) {
            std::vector<std::string_view> ids = {record.fields()[field]};
            for (const std::size_t other : fields) {
                if (other != field) ids.push_back(record.fields()[other]);
            }
            fail_unknown_id(record, ids.front(), nodes_, ids, hint(record, nodes_.ids));
        }
        found_.push_back(*node);
    }
}

void GrowingSearch::ask(const CsvTable& record, std::span<const std::size_t> fields, const Hint&) {
    for (const std::size_t field : fields)
        found_.push_back(ids_.add(id_in(record, field)).first);
}

}  // namespace hwgcn
