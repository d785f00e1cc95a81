#include "shards.hpp"

#include <memory>
#include <string>
#include <vector>

#include "hwgcn/weights/learn_weights.hpp"

#include "arrays.hpp"
#include "interruptible.hpp"
#include "io/shards/shards.hpp"
#include "settings.hpp"
#include "weights/blocks/learn_blocks.hpp"

namespace hwgcn::python {
namespace {

WeightOptions weight_options(const Settings& given) {
    expect_weight_settings(given);
    MethodSettings settings("hwgcn", "");
    settings.apply(settings_from(given));
    return settings.weights();
}

py::dict facts_of(const OrderSummary& summary) {
    py::dict facts;
    facts["order"] = summary.order;
    facts["problems"] = summary.problems;
    facts["ring_pairs"] = summary.ring_pairs;
    facts["largest_ring"] = summary.largest_ring;
    facts["support"] = summary.support;
    facts["unfinished"] = summary.unfinished;
    facts["worst_gap"] = summary.worst_gap;
    facts["worst_node"] = summary.worst_node;
    return facts;
}

py::dict describe(const BlockWeights& weights) {
    py::list orders;
    for (const OrderSummary& summary : weights.orders)
        orders.append(facts_of(summary));
    py::dict dict;
    dict["learned"] = weights.learned;
    dict["found"] = weights.found;
    dict["notes"] = weights.notes;
    dict["orders"] = orders;
    return dict;
}

// A folder of shards that stays open: its files are compared with their SHA-256 once.
class Shards {
  public:
    explicit Shards(const std::string& folder) : reader_(folder) {}

    Index nodes() const { return reader_.nodes(); }
    Index blocks() const { return reader_.blocks().count(); }
    std::string list_hash() const { return reader_.list_hash(); }
    std::vector<std::int64_t> block_work() const { return reader_.block_work(); }

    py::dict learn_block_files(const std::vector<Index>& blocks, const Settings& given,
                               const std::string& folder, std::int64_t memory, int threads) const {
        const WeightOptions options = weight_options(given);
        return describe(interruptible(threads, [&](const ExecutionControl& control) {
            return hwgcn::learn_block_files(reader_, blocks, options, {folder, memory}, control);
        }));
    }

    // Every block is read and compared with its checksum.
    py::dict finish_blocks(const Settings& given, const std::string& folder) const {
        const WeightOptions options = weight_options(given);
        return describe(interruptible(1, [&](const ExecutionControl&) {
            return hwgcn::finish_blocks(reader_, options, {folder, 0});
        }));
    }

    // The matrices of the orders 2..K.
    py::list read_weights(const Settings& given, const std::string& folder) const {
        const WeightOptions options = weight_options(given);
        LearnedWeights weights = interruptible(1, [&](const ExecutionControl&) {
            return read_block_weights(reader_, 0, reader_.blocks().count(), options, folder);
        });
        py::list orders;
        for (OrderWeights& order : weights.orders)
            orders.append(py::make_tuple(order.summary.order, to_tuple(std::move(order.matrix))));
        return orders;
    }

  private:
    ShardReader reader_;
};

}  // namespace

void add_shards(py::module_& module) {
    py::class_<Shards>(module, "Shards")
        .def(py::init<const std::string&>())
        .def_property_readonly("nodes", &Shards::nodes)
        .def_property_readonly("blocks", &Shards::blocks)
        .def_property_readonly("list_hash", &Shards::list_hash)
        .def_property_readonly("block_work", &Shards::block_work)
        .def("learn_block_files", &Shards::learn_block_files)
        .def("finish_blocks", &Shards::finish_blocks)
        .def("read_weights", &Shards::read_weights);
}

}  // namespace hwgcn::python
