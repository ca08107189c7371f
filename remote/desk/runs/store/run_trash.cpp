// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <remote/desk/runs/store/run_trash.h>
#include <remote/desk/shared/text.h>

namespace rankscope::inline runs {

Result<void> delete_runs(RunStore& store, const std::vector<std::string>& run_ids, std::int64_t now_us) {
    constexpr const char* kContext = "RunStore";
    for (const auto& run_id : run_ids) {
        const auto run = store.run(run_id);
        if (!run) {
            return run.failure();
        }
        if (run->outcome == Outcome::Running) {
            return Failure{"bad-request", run_id,
                           text(kContext, "%1 is running and cannot be deleted.", {run->name}),
                           text(kContext, "Stop it first: `rankscopectl runs stop %1`.", {run_id}), ""};
        }
    }
    return store.trash_runs(run_ids, now_us);
}

Result<void> remove_expired(RunStore& store, std::int64_t now_us) {
    constexpr std::int64_t kKept = std::int64_t{kTrashDays} * 24 * 3600 * 1'000'000;
    const auto trash = store.trash();
    if (!trash) {
        return trash.failure();
    }
    std::vector<std::string> expired;
    for (const TrashedRun& run : *trash) {
        if (now_us - run.at_us > kKept) {
            expired.push_back(run.record.run_id);
        }
    }
    return store.empty_trash(expired);
}

}  // namespace rankscope::inline runs
