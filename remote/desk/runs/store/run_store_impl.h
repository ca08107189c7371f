// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <remote/desk/runs/store/run_store.h>
#include <remote/desk/runs/store/sqlite.h>
#include <remote/desk/runs/store/store_failure.h>
#include <remote/desk/shared/text.h>

#include <mutex>
#include <string>

namespace rankscope::inline runs {

/// What the parts of the run store share: the file, its lock, and its failures. Only for them.
class RunStore::Impl {
public:
    static constexpr const char* kStoreContext = "RunStore";
    static constexpr int kSchemaVersion = 3;

    mutable std::mutex mutex;
    Database database;
    std::string path;

    Failure failure(const char* what) const {
        return store_failure(path, text(kStoreContext, what), database);
    }
    // The statement must be gone before anything is written: SQLite does not wait for a lock that would make
    // an open reader a writer.
    std::int64_t schema_version() const {
        Statement version(database, "PRAGMA user_version");
        return version.step() == Statement::Step::Row ? version.whole(0) : 0;
    }
    bool set_up(const char* schema) {
        const std::string version = "PRAGMA user_version = " + std::to_string(kSchemaVersion);
        return database.run("BEGIN IMMEDIATE") && database.run(schema) && database.run(version.c_str()) &&
               database.run("COMMIT");
    }
    /// The end of a transaction: all of it is kept, or nothing. `what`: the sentence for users if it failed.
    Result<void> end_change(const char* what, bool fine) {
        if (fine && database.run("COMMIT")) {
            return {};
        }
        Failure reason = failure(what);  // before ROLLBACK, which has a result of its own
        database.run("ROLLBACK");
        return reason;
    }
    /// The run's rows in all tables but the labels; inside a transaction.
    bool remove_rows(const std::string& run_id) {
        for (const char* table : {"events", "metrics", "pending_stops", "run_summaries", "run_facts",
                                  "run_parents", "run_trash", "runs"}) {
            Statement remove(database, std::string("DELETE FROM ") + table + " WHERE run_id = ?");
            remove.bind(1, run_id);
            if (remove.step() != Statement::Step::Done) {
                return false;
            }
        }
        if (!has_preflights()) {
            return true;
        }
        Statement remove(database, "DELETE FROM run_preflights WHERE run_id = ?");
        remove.bind(1, run_id);
        return remove.step() == Statement::Step::Done;
    }
    bool has_preflights() const {
        Statement table(database,
                        "SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = 'run_preflights'");
        return table.step() == Statement::Step::Row;
    }
    bool in_trash(const std::string& run_id) const {
        Statement select(database, "SELECT 1 FROM run_trash WHERE run_id = ?");
        select.bind(1, run_id);
        return select.step() == Statement::Step::Row;
    }
    std::int64_t next_ord(const std::string& run_id) const {
        Statement last(database,
                       "SELECT MAX(COALESCE((SELECT MAX(ord) FROM events WHERE run_id = ?1), 0),"
                       " COALESCE((SELECT MAX(ord) FROM metrics WHERE run_id = ?1), 0))");
        last.bind(1, run_id);
        return last.step() == Statement::Step::Row ? last.whole(0) + 1 : 1;
    }
};

}  // namespace rankscope::inline runs
