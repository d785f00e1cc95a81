#include "support/parallel_for.hpp"

#include <algorithm>
#include <atomic>
#include <optional>

#include <tbb/global_control.h>
#include <tbb/info.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

#include "hwgcn/support/error.hpp"

#include "support/stopping.hpp"

namespace hwgcn {

void parallel_for(std::int64_t count, std::int64_t chunk, const RunControl& control,
                  const std::function<void(int, std::int64_t)>& body) {
    if (count <= 0) return;
    const int workers =
        static_cast<int>(std::min<std::int64_t>(thread_count(control), (count + chunk - 1) / chunk));
    std::atomic<std::int64_t> next{0};

    const auto work = [&](int worker) {
        for (;;) {
            const std::int64_t begin = next.fetch_add(chunk, std::memory_order_relaxed);
            if (begin >= count || tbb::is_current_task_group_canceling()) return;
            const std::int64_t end = std::min(count, begin + chunk);
            for (std::int64_t index = begin; index < end; ++index) {
                throw_if_stopped(control);
                body(worker, index);
            }
            if (control.progress != nullptr) control.progress->advance(end - begin);
        }
    };
    // As many threads as were asked for, even beyond the number of cores.
    // Only then: the setting is one of the whole process.
    std::optional<tbb::global_control> allowed;
    if (workers > tbb::info::default_concurrency()) {
        allowed.emplace(tbb::global_control::max_allowed_parallelism, static_cast<std::size_t>(workers));
    }
    tbb::task_arena arena(workers);
    arena.execute([&] { tbb::parallel_for(0, workers, work, tbb::simple_partitioner()); });
}

}  // namespace hwgcn
