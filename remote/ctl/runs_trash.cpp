// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <base/clock.h>
#include <remote/ctl/output.h>
#include <remote/ctl/runs_trash.h>
#include <remote/ctl/table.h>
#include <remote/ctl/terminal_text.h>
#include <remote/desk/runs/store/run_trash.h>

#include <nlohmann/json.hpp>

#include <cstdio>
#include <memory>

namespace rankscope::ctl {
namespace {

struct DeleteOptions {
    std::vector<std::string> runs;
    bool now = false;
};

void print(const GlobalOptions& options, const char* key, const std::vector<std::string>& runs) {
    if (options.json) {
        print_json(nlohmann::ordered_json{{key, runs}});
        return;
    }
    for (const auto& run : runs) {
        std::printf("%s  %s\n", run.c_str(), key);
    }
}

int remove(const GlobalOptions& options, const DeleteOptions& how) {
    const auto store = open_store(options);
    if (!store) {
        return kUsage;
    }
    auto deleted = delete_runs(*store, how.runs, now_us());
    if (deleted && how.now) {
        deleted = store->empty_trash(how.runs);
    }
    if (!deleted) {
        report(deleted.failure(), options.json);
        return kUsage;
    }
    static_cast<void>(remove_expired(*store, now_us()));  // what stays is removed next time
    print(options, how.now ? "removed" : "deleted", how.runs);
    if (!options.json && !how.now) {
        std::printf("Restore within %d days: rankscopectl runs restore %s\n", kTrashDays,
                    how.runs.front().c_str());
    }
    return kDone;
}

int restore(const GlobalOptions& options, const std::vector<std::string>& runs) {
    const auto store = open_store(options);
    if (!store) {
        return kUsage;
    }
    for (const auto& run : runs) {
        if (const auto restored = store->restore_run(run); !restored) {
            report(restored.failure(), options.json);
            return kUsage;
        }
    }
    print(options, "restored", runs);
    return kDone;
}

}  // namespace

int list_trash(const GlobalOptions& options) {
    const auto store = open_store(options);
    const auto trash = store ? store->trash() : Result<std::vector<TrashedRun>>(std::vector<TrashedRun>());
    if (!store || !trash) {
        if (!trash) {
            report(trash.failure(), options.json);
        }
        return kUsage;
    }
    nlohmann::ordered_json all = nlohmann::ordered_json::array();
    std::vector<std::vector<std::string>> rows{{"RUN", "NAME", "OUTCOME"}};
    for (const TrashedRun& run : *trash) {
        all.push_back({{"run", run.record.run_id},
                       {"name", run.record.name},
                       {"outcome", to_string(run.record.outcome)},
                       {"deleted", static_cast<double>(run.at_us) / 1e6}});
        rows.push_back({run.record.run_id, safe_text(run.record.name), to_string(run.record.outcome)});
    }
    if (options.json) {
        print_json(nlohmann::ordered_json{{"deleted", all}});
    } else if (trash->empty()) {
        std::puts("No deleted runs.");
    } else {
        std::fputs(format_table(rows).c_str(), stdout);
    }
    return kDone;
}

void add_trash_commands(CLI::App& runs, GlobalOptions& options, int& code) {
    auto how = std::make_shared<DeleteOptions>();
    auto* removing = runs.add_subcommand(
        "delete", "Delete runs; `restore` brings them back for a week. Files on nodes stay");
    removing->add_option("runs", how->runs, "Ids, as `runs list` shows them")->required();
    removing->add_flag("--now", how->now, "Remove them for good at once");
    removing->callback([&options, &code, how] { code = remove(options, *how); });
    auto ids = std::make_shared<std::vector<std::string>>();
    auto* restoring = runs.add_subcommand("restore", "Bring deleted runs back, complete");
    restoring->add_option("runs", *ids, "Ids, as `runs list --deleted` shows them")->required();
    restoring->callback([&options, &code, ids] { code = restore(options, *ids); });
}

}  // namespace rankscope::ctl
