// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <base/clock.h>
#include <base/number_text.h>
#include <remote/ctl/local_time.h>
#include <remote/ctl/output.h>
#include <remote/ctl/runs_prune.h>
#include <remote/ctl/table.h>
#include <remote/ctl/terminal_text.h>
#include <remote/desk/runs/store/retention.h>

#include <nlohmann/json.hpp>

#include <cstdio>
#include <memory>
#include <vector>

namespace rankscope::ctl {
namespace {

constexpr std::int64_t kMebibyte = 1 << 20;

struct PruneOptions {
    int days = 0;
    int mebibytes = 0;
    bool dry_run = false;
    bool yes = false;

    RetentionRule rule() const { return {days, mebibytes * kMebibyte}; }
};

std::string size_text(std::int64_t bytes) {
    return fixed_text(static_cast<double>(bytes) / kMebibyte, 1) + " MiB";
}

const char* reason_word(PlannedRemoval::Reason reason) {
    return reason == PlannedRemoval::Reason::Age ? "age" : "size";
}

void print_as_json(const RetentionPlan& plan, bool dry_run, int removed) {
    nlohmann::ordered_json runs = nlohmann::ordered_json::array();
    for (const PlannedRemoval& run : plan.remove) {
        runs.push_back({{"run", run.run_id},
                        {"name", run.name},
                        {"started", static_cast<double>(run.started_us) / 1e6},
                        {"bytes", run.bytes},
                        {"reason", reason_word(run.reason)}});
    }
    const nlohmann::ordered_json json{{"dry_run", dry_run},
                                      {"runs", runs},
                                      {"bytes", plan.bytes},
                                      {"starred_kept", plan.starred_kept},
                                      {"running_kept", plan.running_kept},
                                      {"removed", removed}};
    print_json(json);
}

void print_plan(const RetentionPlan& plan) {
    if (!plan.remove.empty()) {
        std::vector<std::vector<std::string>> rows{{"RUN", "NAME", "STARTED", "ABOUT", "BY"}};
        for (const PlannedRemoval& run : plan.remove) {
            rows.push_back({run.run_id, safe_text(run.name), local_time_text(run.started_us),
                            size_text(run.bytes), reason_word(run.reason)});
        }
        std::fputs(format_table(rows).c_str(), stdout);
    }
    if (plan.starred_kept > 0) {
        std::printf("Kept for their star: %d.\n", plan.starred_kept);
    }
    if (plan.running_kept > 0) {
        std::printf("Kept because they run: %d.\n", plan.running_kept);
    }
}

/// Whether to remove: by option, or by an answer on the terminal.
bool confirmed(const GlobalOptions& options, const PruneOptions& prune, const RetentionPlan& plan) {
    if (prune.yes) {
        return true;
    }
    const auto answer = options.json
                            ? std::nullopt
                            : ask_terminal("Remove " + std::to_string(plan.remove.size()) + " runs, about " +
                                               size_text(plan.bytes) + ", for good? [y/N] ",
                                           true);
    if (!answer) {
        report(Failure{"no-answer", "", "Nothing is removed without a confirmation.",
                       "Add --yes, or --dry-run to look only.", ""},
               options.json);
    }
    return answer && (*answer == "y" || *answer == "yes");
}

int prune_runs(const GlobalOptions& options, const PruneOptions& prune) {
    const auto store = open_store(options);
    if (!store) {
        return kUsage;
    }
    const auto plan = plan_retention(*store, options.store_path(), prune.rule(), now_us());
    if (!plan) {
        report(plan.failure(), options.json);
        return kUsage;
    }
    if (!options.json) {
        print_plan(*plan);
    }
    if (prune.dry_run || plan->remove.empty()) {
        if (options.json) {
            print_as_json(*plan, prune.dry_run, 0);
        } else {
            std::puts(plan->remove.empty() ? "Nothing to remove." : "Nothing is removed: --dry-run.");
        }
        return kDone;
    }
    if (!confirmed(options, prune, *plan)) {
        return kUsage;
    }
    const auto removed =
        remove_planned(*store, options.store_path(), *plan, [](std::size_t) { return true; });
    if (!removed) {
        report(removed.failure(), options.json);
        return kUsage;
    }
    if (options.json) {
        print_as_json(*plan, false, *removed);
    } else {
        std::printf("%d removed.\n", *removed);
    }
    return kDone;
}

}  // namespace

void add_prune_command(CLI::App& runs, GlobalOptions& options, int& code) {
    constexpr int kLongestDays = 36500;
    constexpr int kLargestMebibytes = 1 << 30;
    auto prune = std::make_shared<PruneOptions>();
    auto* command = runs.add_subcommand(
        "prune", "Remove old runs of the store; starred runs and runs in progress are kept");
    command->add_option("--older-than", prune->days, "Remove what ended more than this many days ago")
        ->check(CLI::Range(1, kLongestDays));
    command
        ->add_option("--larger-than", prune->mebibytes,
                     "Remove the oldest until the store is at most this many MiB")
        ->check(CLI::Range(1, kLargestMebibytes));
    auto* dry = command->add_flag("--dry-run", prune->dry_run, "Only show what would be removed");
    command->add_flag("--yes", prune->yes, "Do not ask")->excludes(dry);
    command->callback([&options, &code, prune] {
        if (!prune->rule().limited()) {
            throw CLI::ValidationError(
                "runs prune", "there is no limit: give --older-than DAYS, --larger-than MIB, or both");
        }
        code = prune_runs(options, *prune);
    });
}

}  // namespace rankscope::ctl
