// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <remote/desk/runs/store/retention.h>
#include <remote/desk/runs/store/sqlite.h>
#include <remote/desk/runs/store/store_failure.h>
#include <remote/desk/shared/text.h>

#include <algorithm>
#include <limits>
#include <system_error>
#include <utility>

namespace rankscope::inline runs {
namespace {

constexpr const char* kContext = "RunStore";
constexpr std::int64_t kDayUs = 86'400'000'000;
constexpr int kAllRuns = std::numeric_limits<int>::max();
constexpr int kCompactPatienceMs = 2000;

std::int64_t file_bytes(const std::filesystem::path& file) {
    std::error_code error;
    const auto size = std::filesystem::file_size(file, error);
    return error ? 0 : static_cast<std::int64_t>(size);
}

Failure not_read(const std::filesystem::path& path, const Database& database) {
    return store_failure(path.string(), text(kContext, "The run store cannot be read."), database);
}

// The number of a run's last event is the count of its events, and an index has it.
Result<std::map<std::string, std::int64_t>> event_counts(const std::filesystem::path& path) {
    Database database;
    if (!database.open(path.string())) {
        return not_read(path, database);
    }
    Statement select(
        database,
        "SELECT run_id, MAX(COALESCE((SELECT MAX(ord) FROM events e WHERE e.run_id = r.run_id), 0),"
        " COALESCE((SELECT MAX(ord) FROM metrics m WHERE m.run_id = r.run_id), 0)) FROM runs r");
    std::map<std::string, std::int64_t> counts;
    for (;;) {
        switch (select.step()) {
            case Statement::Step::Row:
                counts[select.text(0)] = select.whole(1);
                break;
            case Statement::Step::Done:
                return counts;
            case Statement::Step::Error:
                return not_read(path, database);
        }
    }
}

std::int64_t bytes_of(const StoreUse& use, const std::string& run_id) {
    const auto found = use.run_bytes.find(run_id);
    return found == use.run_bytes.end() ? 0 : found->second;
}

}  // namespace

Result<StoreUse> measure_store(const std::filesystem::path& path) {
    const auto counts = event_counts(path);
    if (!counts) {
        return counts.failure();
    }
    StoreUse use;
    for (const char* suffix : {"", "-wal", "-shm"}) {
        use.bytes += file_bytes(path.string() + suffix);
    }
    std::error_code error;
    const auto space = std::filesystem::space(path.parent_path().empty() ? "." : path.parent_path(), error);
    use.disk_free = error ? -1 : static_cast<std::int64_t>(space.available);
    std::int64_t events = 0;
    for (const auto& [run, count] : *counts) {
        events += count;
    }
    for (const auto& [run, count] : *counts) {
        if (count > 0) {
            use.run_bytes[run] = static_cast<std::int64_t>(
                static_cast<double>(use.bytes) * static_cast<double>(count) / static_cast<double>(events));
        }
    }
    return use;
}

RetentionPlan plan_retention(const std::vector<RunRecord>& runs,
                             const std::map<std::string, RunLabels>& labels, const StoreUse& use,
                             const RetentionRule& rule, std::int64_t now_us) {
    std::vector<const RunRecord*> oldest_first;
    oldest_first.reserve(runs.size());
    for (const RunRecord& run : runs) {
        oldest_first.push_back(&run);
    }
    std::stable_sort(oldest_first.begin(), oldest_first.end(),
                     [](const RunRecord* a, const RunRecord* b) { return a->started_us < b->started_us; });
    const std::int64_t too_old = rule.days > 0 ? now_us - rule.days * kDayUs : 0;
    std::int64_t left = use.bytes;
    RetentionPlan plan;
    for (const RunRecord* run : oldest_first) {
        const std::int64_t last = run->ended_us != 0 ? run->ended_us : run->started_us;
        const bool old = rule.days > 0 && last < too_old;
        const bool too_much = rule.bytes > 0 && left > rule.bytes;
        if (!old && !too_much) {
            continue;
        }
        const auto label = labels.find(run->run_id);
        if (run->outcome == Outcome::Running) {
            ++plan.running_kept;
        } else if (label != labels.end() && label->second.starred) {
            ++plan.starred_kept;
        } else {
            const std::int64_t bytes = bytes_of(use, run->run_id);
            plan.remove.push_back({run->run_id, run->name, run->started_us, bytes,
                                   old ? PlannedRemoval::Reason::Age : PlannedRemoval::Reason::Size});
            plan.bytes += bytes;
            left -= bytes;
        }
    }
    return plan;
}

Result<RetentionPlan> plan_retention(const RunStore& store, const std::filesystem::path& path,
                                     const RetentionRule& rule, std::int64_t now_us) {
    const auto runs = store.runs(kAllRuns);
    if (!runs) {
        return runs.failure();
    }
    const auto label_store = RunLabelStore::open(path);
    const auto labels =
        label_store ? (*label_store)->all() : Result<std::map<std::string, RunLabels>>(label_store.failure());
    if (!labels) {
        return labels.failure();  // without them a starred run could be removed
    }
    const auto use = measure_store(path);
    if (!use) {
        return use.failure();
    }
    return plan_retention(*runs, *labels, *use, rule, now_us);
}

void compact_store(const std::filesystem::path& path) {
    Database database;
    if (database.open(path.string())) {
        database.set_patience(kCompactPatienceMs);
        database.run("VACUUM; PRAGMA wal_checkpoint(TRUNCATE);");  // without it: room for later runs
    }
}

Result<int> remove_planned(RunStore& store, const std::filesystem::path& path, const RetentionPlan& plan,
                           const std::function<bool(std::size_t)>& progress) {
    const auto labels = RunLabelStore::open(path);
    if (!labels) {
        return labels.failure();
    }
    int removed = 0;
    std::size_t settled = 0;
    for (const PlannedRemoval& each : plan.remove) {
        const auto now = (*labels)->of(each.run_id);
        const auto run = store.run(each.run_id);
        if (!now) {
            return now.failure();
        }
        if (run && run->outcome != Outcome::Running && !now->starred) {
            if (const auto done = store.remove_run(each.run_id); !done) {
                return done.failure();
            }
            ++removed;
        }
        if (!progress(++settled)) {
            return removed;
        }
    }
    if (removed > 0) {
        compact_store(path);
    }
    return removed;
}

}  // namespace rankscope::inline runs
