// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <remote/desk/runs/store/run_store_impl.h>

namespace rankscope::inline runs {
namespace {

constexpr const char* kContext = "RunStore";

bool remove_labels(const Database& database, const std::string& run_id) {
    Statement table(database, "SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = 'run_labels'");
    if (table.step() != Statement::Step::Row) {
        return true;  // no run has any
    }
    Statement remove(database, "DELETE FROM run_labels WHERE run_id = ?");
    remove.bind(1, run_id);
    return remove.step() == Statement::Step::Done;
}

}  // namespace

Result<void> RunStore::trash_runs(const std::vector<std::string>& run_ids, std::int64_t at_us) {
    const std::lock_guard lock(impl_->mutex);
    bool fine = impl_->database.run("BEGIN IMMEDIATE");
    for (const auto& run_id : run_ids) {
        Statement insert(impl_->database,
                         "INSERT OR REPLACE INTO run_trash SELECT run_id, ?2 FROM runs WHERE run_id = ?1");
        insert.bind(1, run_id).bind(2, at_us);
        fine = fine && insert.step() == Statement::Step::Done;
    }
    return impl_->end_change("The run cannot be deleted.", fine);
}

Result<void> RunStore::restore_run(const std::string& run_id) {
    const std::lock_guard lock(impl_->mutex);
    Statement remove(impl_->database, "DELETE FROM run_trash WHERE run_id = ?");
    remove.bind(1, run_id);
    if (remove.step() != Statement::Step::Done) {
        return impl_->failure("The run cannot be restored.");
    }
    if (sqlite3_changes(impl_->database.get()) == 0) {
        return Failure{
            "no-such-run", impl_->path, text(kContext, "There is no deleted run \"%1\".", {run_id}),
            text(kContext, "`rankscopectl runs list --deleted` shows those that can be restored."), ""};
    }
    return {};
}

Result<void> RunStore::empty_trash(const std::vector<std::string>& run_ids) {
    for (const auto& run_id : run_ids) {
        const std::lock_guard lock(impl_->mutex);
        bool fine = impl_->database.run("BEGIN IMMEDIATE");
        // Another program may have restored it in the meantime.
        if (fine && impl_->in_trash(run_id)) {
            fine = remove_labels(impl_->database, run_id) && impl_->remove_rows(run_id);
        }
        if (auto done = impl_->end_change("The run cannot be deleted.", fine); !done) {
            return done;
        }
    }
    return {};
}

}  // namespace rankscope::inline runs
