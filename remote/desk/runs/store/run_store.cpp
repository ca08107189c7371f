// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <base/json_text.h>
#include <base/paths.h>
#include <remote/desk/nodes/session/facts_json.h>
#include <remote/desk/runs/store/run_store.h>
#include <remote/desk/runs/store/run_store_impl.h>
#include <remote/desk/runs/store/store_file.h>
#include <remote/desk/shared/text.h>
#include <remote/wire/event_json.h>

#include <nlohmann/json.hpp>
#include <sys/stat.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <mutex>
#include <set>

namespace rankscope::inline runs {
namespace {

constexpr const char* kContext = "RunStore";

// Metrics have a table of their own so that anybody can ask them by SQL; `more` holds the values without a
// column. `ord` is the order of arrival, over both tables.
constexpr const char* kSchema = R"sql(
CREATE TABLE IF NOT EXISTS runs (
    run_id TEXT PRIMARY KEY, name TEXT NOT NULL, job_yaml TEXT NOT NULL, plan TEXT NOT NULL,
    started_us INTEGER NOT NULL, ended_us INTEGER NOT NULL DEFAULT 0, outcome TEXT NOT NULL DEFAULT 'running',
    exit_code INTEGER NOT NULL DEFAULT -1, summary TEXT NOT NULL DEFAULT '', world_size INTEGER NOT NULL DEFAULT 0,
    nodes TEXT NOT NULL DEFAULT '');
CREATE TABLE IF NOT EXISTS events (
    run_id TEXT NOT NULL, node TEXT NOT NULL, seq INTEGER NOT NULL, ord INTEGER NOT NULL, t_us INTEGER NOT NULL,
    rank INTEGER NOT NULL, kind TEXT NOT NULL, body TEXT NOT NULL,
    PRIMARY KEY (run_id, node, seq)) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS metrics (
    run_id TEXT NOT NULL, node TEXT NOT NULL, seq INTEGER NOT NULL, ord INTEGER NOT NULL, t_us INTEGER NOT NULL,
    rank INTEGER NOT NULL, step INTEGER, epoch REAL, loss REAL, acc1 REAL, lr REAL, images_per_s REAL,
    more TEXT NOT NULL,
    PRIMARY KEY (run_id, node, seq)) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS node_facts (node TEXT PRIMARY KEY, at_us INTEGER NOT NULL, facts TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS pending_stops (
    run_id TEXT NOT NULL, node TEXT NOT NULL, launcher TEXT NOT NULL, forced INTEGER NOT NULL, by_user INTEGER NOT NULL,
    cause TEXT NOT NULL, asked_us INTEGER NOT NULL, PRIMARY KEY (run_id, node)) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS run_parents (run_id TEXT PRIMARY KEY, parent TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS run_facts (
    run_id TEXT NOT NULL, node TEXT NOT NULL, facts TEXT NOT NULL, PRIMARY KEY (run_id, node)) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS run_trash (run_id TEXT PRIMARY KEY, at_us INTEGER NOT NULL) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS run_summaries (
    run_id TEXT PRIMARY KEY, ord INTEGER NOT NULL, ended_us INTEGER NOT NULL, body TEXT NOT NULL);
CREATE INDEX IF NOT EXISTS events_by_order ON events (run_id, ord);
CREATE INDEX IF NOT EXISTS metrics_by_order ON metrics (run_id, ord);
)sql";

constexpr const char* kColumns[] = {"loss", "acc1", "lr", "images_per_s"};

// Bytes that are no text (a file's name, a host's) are replaced: a plan must not be lost for one of them.
std::string dump(const nlohmann::json& json) {
    return json.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

std::string joined_nodes(const LaunchPlan& plan) {
    std::string nodes;
    for (const auto& node : plan.nodes) {
        nodes += (nodes.empty() ? "" : ",") + node.node;
    }
    return nodes;
}

// A bar that is redrawn says a step twice, first with the values of the one before: the last value counts.
void keep_last_of_each_step(std::vector<Event>& events) {
    struct Later {
        std::int64_t step = -1;
        double epoch = -1;
        std::set<std::string, std::less<>> names;
    };
    std::map<std::pair<std::string, int>, Later> by_rank;
    for (auto event = events.rbegin(); event != events.rend(); ++event) {
        auto* metric = std::get_if<MetricEvent>(&event->body);
        if (metric == nullptr || metric->step < 0) {
            continue;
        }
        Later& later = by_rank[{event->node, event->rank}];
        const bool same_epoch = std::abs(later.epoch - metric->epoch) < 1e-9;
        if (later.step != metric->step || !same_epoch) {
            later = {metric->step, metric->epoch, {}};
        }
        std::erase_if(metric->values, [&](const auto& value) { return later.names.contains(value.first); });
        for (const auto& [name, value] : metric->values) {
            if (std::isfinite(value)) {
                later.names.insert(name);
            }
        }
    }
}

}  // namespace

std::filesystem::path RunStore::default_path() {
    return user_data_dir() / "runs.sqlite";
}

namespace {

struct OpenedFiles {
    std::mutex mutex;
    std::map<const RunStore*, std::filesystem::path> by_store;
};

OpenedFiles& opened_files() {
    static OpenedFiles files;
    return files;
}

}  // namespace

std::filesystem::path file_of(const RunStore& store) {
    OpenedFiles& files = opened_files();
    const std::lock_guard lock(files.mutex);
    const auto found = files.by_store.find(&store);
    return found != files.by_store.end() ? found->second : std::filesystem::path();
}

RunStore::RunStore(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {
    OpenedFiles& files = opened_files();
    const std::lock_guard lock(files.mutex);
    files.by_store[this] = impl_->path;
}

RunStore::~RunStore() {
    OpenedFiles& files = opened_files();
    const std::lock_guard lock(files.mutex);
    files.by_store.erase(this);
}

Result<std::shared_ptr<RunStore>> RunStore::open(const std::filesystem::path& path) {
    auto impl = std::make_unique<Impl>();
    impl->path = path.string();
    std::error_code error;
    const mode_t before = ::umask(0077);
    if (path.has_parent_path()) {
        std::filesystem::create_directories(path.parent_path(), error);
    }
    const bool opened = !error && impl->database.open(path.string());
    ::umask(before);
    if (!opened) {
        Failure failure = impl->failure("The run store cannot be opened.");
        failure.detail = error ? error.message() : failure.detail;
        return failure;
    }
    // WAL: readers never wait for the writer. NORMAL: a power cut may lose the last moments, never the file;
    // the nodes' spools still have them.
    impl->database.run("PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL;");
    const std::int64_t version = impl->schema_version();
    if (version > Impl::kSchemaVersion) {
        return Failure{"store-newer", path.string(),
                       text(kContext, "The run store was written by a newer Rankscope."),
                       text(kContext, "Update this program, or choose another folder with --data-dir."), ""};
    }
    // Only the first opening writes: who just wants to read does not wait for those who write.
    if (version < Impl::kSchemaVersion && !impl->set_up(kSchema)) {
        return impl->failure("The run store cannot be set up.");
    }
    return std::shared_ptr<RunStore>(
        std::unique_ptr<RunStore>(new RunStore(std::move(impl))));  // NOLINT: private
}

namespace {

bool insert_record(const Database& database, const RunRecord& record) {
    Statement insert(database,
                     "INSERT INTO runs (run_id, name, job_yaml, plan, started_us, world_size, nodes)"
                     " VALUES (?, ?, ?, ?, ?, ?, ?)");
    insert.bind(1, record.run_id)
        .bind(2, record.name)
        .bind(3, record.job_yaml)
        .bind(4, dump(to_json(record.plan)))
        .bind(5, record.started_us)
        .bind(6, std::int64_t{record.plan.world_size})
        .bind(7, joined_nodes(record.plan));
    if (insert.step() != Statement::Step::Done) {
        return false;
    }
    Statement parent(database, "INSERT OR REPLACE INTO run_parents SELECT ?1, ?2 WHERE ?2 <> ''");
    parent.bind(1, record.run_id).bind(2, record.parent);
    return parent.step() == Statement::Step::Done;
}

}  // namespace

Result<void> RunStore::create_run(const RunRecord& record) {
    const std::lock_guard lock(impl_->mutex);
    // A run that comes back (from a bundle) replaces what the trash has of it.
    const bool fine = impl_->database.run("BEGIN IMMEDIATE") &&
                      (!impl_->in_trash(record.run_id) || impl_->remove_rows(record.run_id)) &&
                      insert_record(impl_->database, record);
    return impl_->end_change("The run cannot be stored.", fine);
}

Result<void> RunStore::set_plan(const std::string& run_id, const LaunchPlan& plan) {
    const std::lock_guard lock(impl_->mutex);
    Statement update(impl_->database, "UPDATE runs SET plan = ?, world_size = ?, nodes = ? WHERE run_id = ?");
    update.bind(1, dump(to_json(plan)))
        .bind(2, std::int64_t{plan.world_size})
        .bind(3, joined_nodes(plan))
        .bind(4, run_id);
    return update.step() == Statement::Step::Done
               ? Result<void>()
               : Result<void>(impl_->failure("The plan cannot be stored."));
}

namespace {

bool insert_metric(Statement& insert, const std::string& run_id, const Event& event, std::int64_t ord) {
    const auto& metric = *event.as<MetricEvent>();
    insert.reset();
    insert.bind(1, run_id)
        .bind(2, event.node)
        .bind(3, static_cast<std::int64_t>(event.seq))
        .bind(4, ord)
        .bind(5, event.t_us)
        .bind(6, std::int64_t{event.rank});
    metric.step >= 0 ? insert.bind(7, metric.step) : insert.bind_null(7);
    metric.epoch >= 0 ? insert.bind(8, metric.epoch) : insert.bind_null(8);
    for (int i = 0; i < 4; ++i) {
        const double value = metric.value(kColumns[i]);
        std::isfinite(value) ? insert.bind(9 + i, value) : insert.bind_null(9 + i);
    }
    MetricEvent rest{-1, -1, {}, metric.texts, metric.from_file, metric.voids_after};
    for (const auto& [key, value] : metric.values) {
        // SQLite has no NaN (it becomes NULL): such a value, and infinity with it, goes to the rest, where
        // null and "inf" keep their meaning.
        if (std::find(std::begin(kColumns), std::end(kColumns), key) == std::end(kColumns) ||
            !std::isfinite(value)) {
            rest.values.emplace_back(key, value);
        }
    }
    insert.bind(13, body_to_json(rest));
    return insert.step() == Statement::Step::Done;
}

bool insert_event(Statement& insert, const std::string& run_id, const Event& event, std::int64_t ord) {
    insert.reset();
    insert.bind(1, run_id)
        .bind(2, event.node)
        .bind(3, static_cast<std::int64_t>(event.seq))
        .bind(4, ord)
        .bind(5, event.t_us)
        .bind(6, std::int64_t{event.rank})
        .bind(7, std::string(kind_of(event)))
        .bind(8, body_to_json(event.body));
    return insert.step() == Statement::Step::Done;
}

}  // namespace

Result<void> RunStore::append(const std::string& run_id, const std::vector<Event>& events) {
    const std::lock_guard lock(impl_->mutex);
    if (!impl_->database.run("BEGIN IMMEDIATE")) {
        return impl_->failure("Events cannot be stored.");
    }
    bool fine = true;
    {
        std::int64_t ord = impl_->next_ord(run_id);
        Statement metrics(impl_->database,
                          "INSERT OR IGNORE INTO metrics VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)");
        Statement others(impl_->database, "INSERT OR IGNORE INTO events VALUES (?, ?, ?, ?, ?, ?, ?, ?)");
        for (const auto& event : events) {
            fine = fine && (event.as<MetricEvent>() != nullptr ? insert_metric(metrics, run_id, event, ord)
                                                               : insert_event(others, run_id, event, ord));
            ++ord;
        }
    }
    return impl_->end_change("Events cannot be stored.", fine);
}

Result<void> RunStore::finish_run(const std::string& run_id, std::int64_t ended_us, const EndEvent& end) {
    const std::lock_guard lock(impl_->mutex);
    Statement update(impl_->database,
                     "UPDATE runs SET ended_us = MAX(?, started_us), outcome = ?, exit_code = ?, summary = ? "
                     "WHERE run_id = ?");
    update.bind(1, ended_us)
        .bind(2, std::string(to_string(end.outcome)))
        .bind(3, std::int64_t{end.exit_code})
        .bind(4, end.detail)
        .bind(5, run_id);
    return update.step() == Statement::Step::Done
               ? Result<void>()
               : Result<void>(impl_->failure("The run's end cannot be stored."));
}

namespace {

RunRecord read_record(const Statement& row) {
    RunRecord record;
    record.run_id = row.text(0);
    record.name = row.text(1);
    record.job_yaml = row.text(2);
    if (!row.is_null(3)) {
        const auto json = read_json(row.text(3));
        if (auto plan = plan_from_json(json)) {
            record.plan = std::move(*plan);
        }
    }
    record.started_us = row.whole(4);
    record.ended_us = row.whole(5);
    record.outcome = enum_from<Outcome>(row.text(6)).value_or(Outcome::Running);
    record.exit_code = static_cast<int>(row.whole(7));
    record.summary = row.text(8);
    record.world_size = static_cast<int>(row.whole(9));
    record.nodes = row.text(10);
    record.parent = row.text(11);
    return record;
}

// `plan`: the column, or NULL where it is not wanted.
std::string select_runs(const char* plan, const char* which) {
    return std::string("SELECT run_id, name, job_yaml, ") + plan +
           ", started_us, ended_us, outcome, exit_code, summary, world_size, nodes,"
           " COALESCE((SELECT parent FROM run_parents WHERE run_parents.run_id = runs.run_id), '')"
           " FROM runs WHERE run_id " +
           which;
}

constexpr const char* kNotInTrash = "NOT IN (SELECT run_id FROM run_trash) ";

}  // namespace

Result<std::vector<RunRecord>> RunStore::runs(int limit) const {
    const std::lock_guard lock(impl_->mutex);
    Statement select(impl_->database, select_runs("NULL", kNotInTrash) + "ORDER BY started_us DESC LIMIT ?");
    select.bind(1, std::int64_t{limit});
    std::vector<RunRecord> records;
    for (;;) {
        switch (select.step()) {
            case Statement::Step::Row:
                records.push_back(read_record(select));
                break;
            case Statement::Step::Done:
                return records;
            case Statement::Step::Error:
                return impl_->failure("The runs cannot be read.");
        }
    }
}

Result<RunRecord> RunStore::run(const std::string& run_id) const {
    const std::lock_guard lock(impl_->mutex);
    Statement select(impl_->database, select_runs("plan", "= ?"));
    select.bind(1, run_id);
    if (impl_->in_trash(run_id)) {
        return Failure{"no-such-run", impl_->path, text(kContext, "The run \"%1\" is deleted.", {run_id}),
                       text(kContext, "`rankscopectl runs restore %1` restores it.", {run_id}), ""};
    }
    if (select.step() == Statement::Step::Row) {
        return read_record(select);
    }
    return Failure{"no-such-run", impl_->path,
                   text(kContext, "There is no run \"%1\" in the run store.", {run_id}),
                   text(kContext, "`rankscopectl runs list` shows them."), ""};
}

Result<std::vector<TrashedRun>> RunStore::trash() const {
    const std::lock_guard lock(impl_->mutex);
    Statement select(impl_->database,
                     select_runs("NULL", "IN (SELECT run_id FROM run_trash)") +
                         " ORDER BY (SELECT at_us FROM run_trash WHERE run_trash.run_id = runs.run_id) DESC");
    std::vector<TrashedRun> found;
    auto step = select.step();
    for (; step == Statement::Step::Row; step = select.step()) {
        found.push_back({read_record(select), 0});
    }
    if (step == Statement::Step::Error) {
        return impl_->failure("The deleted runs cannot be read.");
    }
    for (TrashedRun& run : found) {
        Statement at(impl_->database, "SELECT at_us FROM run_trash WHERE run_id = ?");
        at.bind(1, run.record.run_id);
        run.at_us = at.step() == Statement::Step::Row ? at.whole(0) : 0;
    }
    return found;
}

namespace {

// `what`: a page of it.
/// A body that is NULL: the row is not wanted. Rows are counted all the same, so that a page takes no longer than
/// others where few are wanted.
std::string select_of_events(const std::string& body) {
    return "SELECT ord, node, seq, t_us, rank, kind, " + body +
           ", NULL, NULL, NULL, NULL, NULL, NULL FROM events WHERE run_id = ?1 AND ord > ?2 ";
}

std::string select_of(Replay what) {
    const std::string metrics =
        "SELECT ord, node, seq, t_us, rank, 'metric', more, step, epoch, loss, acc1, lr, images_per_s"
        " FROM metrics WHERE run_id = ?1 AND ord > ?2 ";
    switch (what) {
        case Replay::Metrics:
            return metrics;
        case Replay::Verdicts:
            return select_of_events("CASE WHEN kind = 'diagnosis' THEN body END");
        case Replay::All:
            break;
    }
    return select_of_events("body") + "UNION ALL " + metrics;
}

Event read_event(const Statement& row) {
    Event event;
    event.node = row.text(1);
    event.seq = static_cast<std::uint64_t>(row.whole(2));
    event.t_us = row.whole(3);
    event.rank = static_cast<int>(row.whole(4));
    if (!body_from_json(row.text(5), row.text(6), event.body)) {
        // Of a newer version, or damaged: one such event must not hide the others, nor leave a gap.
        event.body =
            StageEvent{StageName::Note, StageStatus::Progress, text(kContext, "unreadable event"), -1};
    }
    if (const auto* diagnosis = event.as<DiagnosisEvent>();
        diagnosis != nullptr && !event.node.empty() && row.text(6).find("\"ranks\"") == std::string::npos) {
        // An earlier version stored the notices of a node as diagnoses.
        NoticeEvent notice{.id = diagnosis->id, .title = diagnosis->title};
        for (const auto& evidence : diagnosis->evidence) {
            notice.evidence.push_back(evidence.text);
        }
        notice.fix = diagnosis->fix;
        event.body = std::move(notice);
    }
    if (auto* metric = std::get_if<MetricEvent>(&event.body)) {
        metric->step = row.is_null(7) ? -1 : row.whole(7);
        metric->epoch = row.is_null(8) ? -1 : row.number(8);
        std::vector<std::pair<std::string, double>> values;
        for (int i = 0; i < 4; ++i) {
            if (!row.is_null(9 + i)) {
                values.emplace_back(kColumns[i], row.number(9 + i));
            }
        }
        metric->values.insert(metric->values.begin(), values.begin(), values.end());
    }
    return event;
}

}  // namespace

Result<void> RunStore::replay(const std::string& run_id, const std::function<bool(const Event&)>& sink,
                              Replay what) const {
    return replay_pages(run_id, select_of(what), sink);
}

Result<void> RunStore::replay_activity(const std::string& run_id, std::int64_t from_us, std::int64_t until_us,
                                       const std::function<bool(const Event&)>& sink) const {
    // t_us is its end; when an event begins, its text says.
    const std::string wanted =
        "CASE WHEN kind = 'nccl' AND t_us >= " + std::to_string(from_us) + " THEN body END";
    return replay_pages(run_id, select_of_events(wanted), [&](const Event& event) {
        const auto* activity = event.as<NcclEvent>();
        return activity == nullptr || !activity->overlaps(event.t_us, from_us, until_us) || sink(event);
    });
}

Result<void> RunStore::replay_pages(const std::string& run_id, const std::string& select,
                                    const std::function<bool(const Event&)>& sink) const {
    // Pages, each with the lock held for a moment only: a long replay must not hold up the writer.
    constexpr int kPage = 2000;
    constexpr std::size_t kHeldBack = 500;  ///< events whose values the next page may replace
    const std::string sql = select + "ORDER BY 1 LIMIT ?3";
    std::int64_t after = 0;
    std::vector<Event> page;
    for (;;) {
        int read = 0;
        {
            const std::lock_guard lock(impl_->mutex);
            Statement rows(impl_->database, sql);
            rows.bind(1, run_id).bind(2, after).bind(3, std::int64_t{kPage});
            auto step = rows.step();
            for (; step == Statement::Step::Row; step = rows.step()) {
                after = rows.whole(0);
                ++read;
                if (!rows.is_null(6)) {
                    page.push_back(read_event(rows));
                }
            }
            if (step == Statement::Step::Error) {
                return impl_->failure("The events of the run cannot be read.");
            }
        }
        keep_last_of_each_step(page);
        const bool last = read < kPage;
        const std::size_t ready = last ? page.size() : page.size() - std::min(page.size(), kHeldBack);
        for (std::size_t i = 0; i < ready; ++i) {
            if (!sink(page[i])) {
                return {};
            }
        }
        if (last) {
            return {};
        }
        page.erase(page.begin(), page.begin() + static_cast<std::ptrdiff_t>(ready));
    }
}

Result<std::map<std::string, std::uint64_t>> RunStore::last_seqs(const std::string& run_id) const {
    const std::lock_guard lock(impl_->mutex);
    std::map<std::string, std::uint64_t> last;
    for (const char* table : {"events", "metrics"}) {
        Statement select(impl_->database, std::string("SELECT node, MAX(seq) FROM ") + table +
                                              " WHERE run_id = ? GROUP BY node");
        select.bind(1, run_id);
        while (select.step() == Statement::Step::Row) {
            auto& seq = last[select.text(0)];
            seq = std::max(seq, static_cast<std::uint64_t>(select.whole(1)));
        }
    }
    return last;
}

Result<void> RunStore::remove_run(const std::string& run_id) {
    const std::lock_guard lock(impl_->mutex);
    const bool fine = impl_->database.run("BEGIN IMMEDIATE") && impl_->remove_rows(run_id);
    return impl_->end_change("The run cannot be deleted.", fine);
}

Result<void> RunStore::record_stop(const StopOrder& order) {
    const std::lock_guard lock(impl_->mutex);
    Statement insert(impl_->database, "INSERT OR REPLACE INTO pending_stops VALUES (?, ?, ?, ?, ?, ?, ?)");
    insert.bind(1, order.run_id)
        .bind(2, order.node)
        .bind(3, order.launcher)
        .bind(4, std::int64_t{order.kind == StopKind::Force ? 1 : 0})
        .bind(5, std::int64_t{order.by_user ? 1 : 0})
        .bind(6, order.cause)
        .bind(7, order.asked_us);
    return insert.step() == Statement::Step::Done
               ? Result<void>()
               : Result<void>(impl_->failure("The stop cannot be stored."));
}

Result<std::vector<StopOrder>> RunStore::pending_stops(const std::string& node) const {
    const std::lock_guard lock(impl_->mutex);
    Statement select(impl_->database,
                     "SELECT run_id, node, launcher, forced, by_user, cause, asked_us FROM pending_stops"
                     " WHERE ?1 = '' OR node = ?1 ORDER BY asked_us");
    select.bind(1, node);
    std::vector<StopOrder> orders;
    for (;;) {
        switch (select.step()) {
            case Statement::Step::Row:
                orders.push_back({select.text(0), select.text(1), select.text(2),
                                  select.whole(3) != 0 ? StopKind::Force : StopKind::Graceful,
                                  select.whole(4) != 0, select.text(5), select.whole(6)});
                break;
            case Statement::Step::Done:
                return orders;
            case Statement::Step::Error:
                return impl_->failure("The recorded stops cannot be read.");
        }
    }
}

Result<void> RunStore::stop_delivered(const std::string& run_id, const std::string& node) {
    const std::lock_guard lock(impl_->mutex);
    Statement remove(impl_->database, "DELETE FROM pending_stops WHERE run_id = ? AND node = ?");
    remove.bind(1, run_id).bind(2, node);
    return remove.step() == Statement::Step::Done
               ? Result<void>()
               : Result<void>(impl_->failure("The recorded stop cannot be removed."));
}

void RunStore::set_patience(int milliseconds) {
    impl_->database.set_patience(milliseconds);  // without the mutex: it is for calls that hold it
}

Result<KnownFacts> RunStore::facts() const {
    const std::lock_guard lock(impl_->mutex);
    Statement select(impl_->database, "SELECT node, facts, at_us FROM node_facts");
    KnownFacts known;
    while (select.step() == Statement::Step::Row) {
        NodeFacts& facts = known[select.text(0)];
        facts = facts_from_json(read_json(select.text(1)));
        facts.probed_us = select.whole(2);
    }
    return known;
}

}  // namespace rankscope::inline runs
