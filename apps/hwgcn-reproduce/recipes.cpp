#include "recipes.hpp"

#include <algorithm>
#include <functional>
#include <iterator>

#include <fmt/format.h>

#include "run_statistics.hpp"

namespace hwgcn::experiments {
namespace {

constexpr const char* labels_added = "50";  // that self-training adds

const std::vector<std::string> random_propagation = {"hwgrand", "hwgrand-sharp", "hwgrand-norm"};

// T of random propagation on the plain graph, the best on each of the paper's graphs. That on the learned
// operator, and its orders, are published settings.
const char* propagations_on_plain_graph(const std::string& dataset) {
    if (dataset == "cora") return "8";
    if (dataset == "citeseer") return "2";
    return dataset == "pubmed" ? "5" : "3";
}

// One method as it is trained: of a recipe, or a variant that several recipes share.
struct Member {
    std::string method;
    bool self_training;
    bool plain;

    bool operator==(const Member&) const = default;
};

AskedMethod settings_of(const Plan& plan, const Member& member, const std::string& dataset) {
    AskedMethod method = asked_method(member.method, dataset);
    if (std::holds_alternative<MethodSettings>(method))
        apply_settings(method, {{"operator", member.plain ? "plain" : "higher-order"}});
    const bool random = std::ranges::find(random_propagation, member.method) != random_propagation.end();
    if (random && member.plain)
        apply_settings(method, {{"propagations", propagations_on_plain_graph(dataset)}});
    if (member.self_training) apply_settings(method, {{"self_training", labels_added}});
    apply_readable(method, plan.changes);
    return method;
}

// All methods that the recipes are made of, each once.
std::vector<Member> members_of(const std::vector<Recipe>& recipes) {
    std::vector<Member> members;
    for (const Recipe& recipe : recipes) {
        for (const std::string& variant : recipe.variants) {
            for (const bool plain : {false, true}) {
                const Member member{variant, recipe.self_training, plain};
                const bool exists = !plain || recipe.has_control;
                if (exists && std::ranges::find(members, member) == members.end()) members.push_back(member);
            }
        }
    }
    return members;
}

using Run = std::function<std::vector<MethodResult>(const std::vector<AskedMethod>& methods, int runs)>;

// The members of a recipe on one of the operators, and whether each goes on after the first runs.
struct Variants {
    std::vector<std::size_t> members;
    std::vector<bool> go_on;
};

Variants variants_of(const Recipe& recipe, bool plain, const std::vector<Member>& members) {
    Variants variants;
    for (const std::string& method : recipe.variants) {
        const auto found = std::ranges::find(members, Member{method, recipe.self_training, plain});
        if (found != members.end())
            variants.members.push_back(static_cast<std::size_t>(found - members.begin()));
    }
    variants.go_on.assign(variants.members.size(), true);
    return variants;
}

// Recipes in one setting, trained or looked up.
class Session {
  public:
    Session(const Plan& plan, const std::vector<Recipe>& recipes, const std::string& dataset, Run run,
            std::uint64_t first_seed)
        : plan_(plan), recipes_(recipes), run_(std::move(run)), first_seed_(first_seed) {
        members_ = members_of(recipes);
        for (const Member& member : members_)
            methods_.push_back(settings_of(plan, member, dataset));
        for (const Recipe& recipe : recipes) {
            for (const bool plain : {false, true})
                variants_.push_back(variants_of(recipe, plain, members_));
        }
    }

    std::vector<RecipeResult> results(int runs, bool trains) {
        scout(std::min(scouting_runs, runs));
        std::vector<AskedMethod> rest;
        std::vector<std::size_t> places;
        for (std::size_t m = 0; m < members_.size(); ++m) {
            if (trains && !goes_on(m)) continue;
            rest.push_back(methods_[m]);
            places.push_back(m);
        }
        std::vector<MethodResult> all = run_(rest, runs);
        for (std::size_t k = 0; k < places.size(); ++k)
            results_[places[k]] = std::move(all[k]);
        std::vector<RecipeResult> found;
        for (std::size_t r = 0; r < recipes_.size(); ++r)
            found.push_back({recipes_[r], result_of(variants_[2 * r]), result_of(variants_[2 * r + 1])});
        return found;
    }

  private:
    // The first runs of what there is a choice among.
    void scout(int runs) {
        results_.assign(members_.size(), MethodResult{methods_.front(), {}});
        for (Variants& variants : variants_) {
            if (variants.members.size() < 2) continue;
            std::vector<AskedMethod> methods;
            for (const std::size_t member : variants.members)
                methods.push_back(methods_[member]);
            std::vector<MethodResult> first = run_(methods, runs);
            variants.go_on = ever_chosen(first, first_seed_, runs);
            for (std::size_t v = 0; v < first.size(); ++v)
                results_[variants.members[v]] = std::move(first[v]);
        }
    }

    // Variants that were never chosen do not, unless they were asked for by name.
    bool goes_on(std::size_t member) const {
        bool is_variant = false;
        for (const Variants& variants : variants_) {
            for (std::size_t v = 0; v < variants.members.size(); ++v) {
                if (variants.members[v] != member || variants.members.size() < 2) continue;
                if (variants.go_on[v]) return true;
                is_variant = true;
            }
        }
        return !is_variant || is_named(member);
    }

    bool is_named(std::size_t member) const {
        const auto same = [&](const Recipe& recipe) {
            return recipe.variants == std::vector<std::string>{members_[member].method} &&
                   recipe.self_training == members_[member].self_training;
        };
        return !plan_.methods.empty() && std::ranges::any_of(recipes_, same);
    }

    MethodResult result_of(const Variants& variants) const {
        if (variants.members.empty()) return {methods_.front(), {}};
        if (variants.members.size() == 1) return results_[variants.members.front()];
        std::vector<MethodResult> going_on;
        for (std::size_t v = 0; v < variants.members.size(); ++v) {
            if (variants.go_on[v]) going_on.push_back(results_[variants.members[v]]);
        }
        return chosen_by_validation(going_on);
    }

    const Plan& plan_;
    const std::vector<Recipe>& recipes_;
    Run run_;
    std::uint64_t first_seed_;
    std::vector<Member> members_;
    std::vector<AskedMethod> methods_;   // of the members
    std::vector<MethodResult> results_;  // the same
    std::vector<Variants> variants_;     // of each recipe on the learned and on the plain operator
};

}  // namespace

const std::vector<Recipe>& recipes() {
    static const std::vector<Recipe> table = [] {
        std::vector<Recipe> all = {{"hwgcn-wide", {"hwgcn-wide"}}};
        for (const bool self_training : {false, true}) {
            const std::string suffix = self_training ? "+self-training" : "";
            all.push_back({"hwgpr" + suffix, {"hwgpr"}, self_training});
            for (const std::string& method : random_propagation)
                all.push_back({method + suffix, {method}, self_training});
            all.push_back({"hwgrand-chosen" + suffix, random_propagation, self_training});
            all.push_back({"auto" + suffix, {"auto"}, self_training, false});
        }
        return all;
    }();
    return table;
}

std::vector<Recipe> chosen_recipes(const Plan& plan) {
    std::vector<Recipe> chosen;
    std::ranges::copy_if(recipes(), std::back_inserter(chosen), [&](const Recipe& recipe) {
        return plan.methods.empty() || std::ranges::find(plan.methods, recipe.name) != plan.methods.end();
    });
    return chosen;
}

std::vector<RecipeResult> run_recipes(ExperimentRunner& runner, const Plan& plan,
                                      const std::vector<Recipe>& recipes, const std::string& dataset,
                                      const std::string& setting) {
    const auto run = [&](const std::vector<AskedMethod>& methods, int runs) {
        return runner.run(dataset, methods, setting, runs);
    };
    Session session(plan, recipes, dataset, run, plan.first_seed);
    return session.results(runs_of(plan, setting), !plan.finished_only);
}

std::vector<RecipeResult> find_fresh_runs(ExperimentRunner& runner, const Plan& plan,
                                          const std::vector<Recipe>& recipes, const std::string& dataset,
                                          const std::string& setting) {
    const auto find = [&](const std::vector<AskedMethod>& methods, int runs) {
        return runner.finished(dataset, methods, setting, runs, fresh_seeds);
    };
    Session session(plan, recipes, dataset, find, fresh_seeds);
    return session.results(runs_of(plan, setting), false);
}

}  // namespace hwgcn::experiments
