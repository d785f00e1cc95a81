#pragma once

#include <cmath>
#include <numeric>
#include <string>
#include <vector>

#include "hwgcn/metrics/metrics.hpp"

#include "arrays.hpp"

namespace hwgcn::python {

/// Of the metrics that methods are compared by.
inline std::vector<std::string> metric_names() {
    std::vector<std::string> names;
    for (const MetricInfo& info : all_metrics()) {
        if (info.more_is_better) names.push_back(info.key);
    }
    return names;
}

/// Of nodes with these probabilities and labels, one row each. Shares; None where the labels do not allow
/// one.
inline py::dict measured(const Array<float>& probabilities, const Array<Index>& labels,
                         const MetricsOptions& options) {
    std::vector<Index> nodes(static_cast<std::size_t>(labels.size()));
    std::iota(nodes.begin(), nodes.end(), Index{0});
    const Metrics metrics =
        compute_metrics(to_matrix(probabilities), to_vector(labels), nodes, {.threads = 1}, options);
    py::dict dict;
    for (const MetricInfo& info : all_metrics()) {
        const double number = metrics.*info.metric;
        dict[info.key.c_str()] = std::isnan(number) ? py::object(py::none()) : py::float_(number);
    }
    return dict;
}

}  // namespace hwgcn::python
