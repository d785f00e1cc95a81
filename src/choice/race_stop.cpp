#include <fmt/format.h>

#include "hwgcn/base/error.hpp"

#include "choice/race_run.hpp"
#include "models/method_table.hpp"
#include "training/fit_options.hpp"

namespace hwgcn {

// Whether a candidate as it stands could have been asked for, with as many epochs as it has now. One whose
// rate falls over all epochs could not, nor could a teacher without its student.
bool Race::stands_by_itself(const Runner& runner) const {
    if (runner.finished || is_classic(runner.contender.settings)) return runner.finished;
    const FitOptions& fit = runner.contender.settings.fit();
    return runner.epochs > 0 && fit.rate_decay == RateDecay::none && fit.self_training == 0;
}

// The race as it stands when it is stopped, by the last round that each has finished. An answer there is in
// any case: the cheap ones are trained to their end.
void Race::end_with_best_so_far() {
    std::vector<Runner*> standing;
    bool lacks_first_ones = false;
    for (Runner& runner : runners_) {
        Contender& contender = runner.contender;
        if (contender.fate != Contender::Fate::finished) continue;
        const bool waits = runner.goes_first && !runner.finished;
        if (waits && runner.propagation == nullptr) {
            enter(runner);
            prepare(runner);
        }
        lacks_first_ones = lacks_first_ones || waits;
        runner.running = waits;
        if (stands_by_itself(runner)) standing.push_back(&runner);
        if (!waits && !stands_by_itself(runner)) contender.fate = Contender::Fate::not_reached;
    }
    if (lacks_first_ones) run_round(0);
    for (Runner* runner : standing) {
        runner->running = true;
        Contender& contender = runner->contender;
        if (runner->finished || contender.epochs >= contender.settings.fit().epochs) continue;
        contender.wanted_epochs = contender.settings.fit().epochs;
        contender.cost.epochs = contender.epochs;
        contender.settings.apply({{"epochs", fmt::to_string(contender.epochs)}});
    }
    if (running().empty()) throw Interrupted();
}

}  // namespace hwgcn
