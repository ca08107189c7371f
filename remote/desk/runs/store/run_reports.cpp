// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <remote/desk/runs/store/run_reports.h>
#include <remote/desk/runs/store/sqlite.h>
#include <remote/desk/runs/store/store_failure.h>
#include <remote/desk/shared/text.h>

#include <algorithm>
#include <deque>
#include <mutex>
#include <utility>

namespace rankscope::inline runs {
namespace {

constexpr const char* kContext = "RunStore";
constexpr std::size_t kRemembered = 16;
// Made by the first run that has a report: earlier versions open the file as well.
constexpr const char* kTable =
    "CREATE TABLE IF NOT EXISTS run_preflights (run_id TEXT PRIMARY KEY, report BLOB NOT NULL) WITHOUT ROWID";

struct Shelf {
    std::mutex mutex;
    std::deque<std::pair<std::string, std::shared_ptr<const KeptReport>>> reports;  ///< the newest first
};

Shelf& shelf() {
    static Shelf shared;
    return shared;
}

Failure failed(const std::filesystem::path& store, const Database& database) {
    return store_failure(store.string(), text(kContext, "The report of the preflight cannot be stored."),
                         database);
}

}  // namespace

void remember_report(const std::string& run_id, KeptReport report) {
    Shelf& all = shelf();
    auto kept = std::make_shared<const KeptReport>(std::move(report));
    const std::lock_guard lock(all.mutex);
    std::erase_if(all.reports, [&](const auto& entry) { return entry.first == run_id; });
    all.reports.emplace_front(run_id, std::move(kept));
    if (all.reports.size() > kRemembered) {
        all.reports.pop_back();
    }
}

std::shared_ptr<const KeptReport> remembered_report(const std::string& run_id) {
    Shelf& all = shelf();
    const std::lock_guard lock(all.mutex);
    const auto found = std::find_if(all.reports.begin(), all.reports.end(),
                                    [&](const auto& entry) { return entry.first == run_id; });
    return found != all.reports.end() ? found->second : nullptr;
}

Result<void> store_report(const std::filesystem::path& store, const std::string& run_id,
                          const KeptReport& report) {
    Database database;
    if (!database.open(store.string()) || !database.run(kTable)) {
        return failed(store, database);
    }
    Statement insert(database,
                     "INSERT OR REPLACE INTO run_preflights SELECT run_id, CAST(?2 AS BLOB) FROM runs WHERE "
                     "run_id = ?1");
    insert.bind(1, run_id).bind(2, to_bytes(report));
    return insert.step() == Statement::Step::Done ? Result<void>() : Result<void>(failed(store, database));
}

Result<std::shared_ptr<const KeptReport>> stored_report(const std::filesystem::path& store,
                                                        const std::string& run_id) {
    std::shared_ptr<const KeptReport> none;
    Database database;
    if (!database.open(store.string())) {
        return store_failure(store.string(), text(kContext, "The report of the preflight cannot be read."),
                             database);
    }
    Statement table(database, "SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = 'run_preflights'");
    if (table.step() != Statement::Step::Row) {
        return none;
    }
    Statement select(database, "SELECT report FROM run_preflights WHERE run_id = ?");
    select.bind(1, run_id);
    if (select.step() != Statement::Step::Row) {
        return none;
    }
    auto report = report_from_bytes(select.text(0));
    return report ? std::make_shared<const KeptReport>(std::move(*report)) : none;
}

}  // namespace rankscope::inline runs
