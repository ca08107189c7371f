// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <base/text.h>
#include <remote/desk/runs/store/run_labels.h>
#include <remote/desk/runs/store/sqlite.h>
#include <remote/desk/runs/store/store_failure.h>
#include <remote/desk/shared/text.h>

#include <algorithm>
#include <mutex>
#include <utility>

namespace rankscope::inline runs {
namespace {

constexpr const char* kContext = "RunStore";
constexpr const char* kLabelTable =
    "CREATE TABLE IF NOT EXISTS run_labels (run_id TEXT PRIMARY KEY, starred INTEGER NOT NULL, group_name "
    "TEXT NOT NULL,"
    " note TEXT NOT NULL, tags TEXT NOT NULL) WITHOUT ROWID";
constexpr const char* kLabelColumns = "SELECT starred, group_name, note, tags, run_id FROM run_labels ";

RunLabels labels_of(const Statement& row) {
    RunLabels labels;
    labels.starred = row.whole(0) != 0;
    labels.group = row.text(1);
    labels.note = row.text(2);
    const std::string tags = row.text(3);
    for (const auto tag : split(tags, '\n')) {
        labels.add_tag(std::string(tag));
    }
    return labels;
}

}  // namespace

void RunLabels::add_tag(const std::string& tag) {
    const auto place = std::lower_bound(tags.begin(), tags.end(), tag);
    if (!tag.empty() && tag.find('\n') == std::string::npos && (place == tags.end() || *place != tag)) {
        tags.insert(place, tag);
    }
}

void RunLabels::remove_tag(const std::string& tag) {
    std::erase(tags, tag);
}

RunLabels LabelChange::applied_to(RunLabels labels) const {
    labels.starred = starred.value_or(labels.starred);
    labels.group = group.value_or(labels.group);
    labels.note = note.value_or(labels.note);
    for (const auto& tag : remove_tags) {
        labels.remove_tag(tag);
    }
    for (const auto& tag : add_tags) {
        labels.add_tag(tag);
    }
    return labels;
}

SharedTags shared_tags(const std::vector<RunLabels>& labels) {
    std::map<std::string, std::size_t> runs;
    for (const auto& of_run : labels) {
        for (const auto& tag : of_run.tags) {
            ++runs[tag];
        }
    }
    SharedTags tags;
    for (const auto& [tag, count] : runs) {
        (count == labels.size() ? tags.of_all : tags.of_some).push_back(tag);
    }
    return tags;
}

class RunLabelStore::Impl {
public:
    mutable std::mutex mutex;
    Database database;
    std::string path;

    // Readers make no table: that would wait for other programs that write.
    bool has_table() const {
        Statement select(database,
                         "SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = 'run_labels'");
        return select.step() == Statement::Step::Row;
    }
    Failure failure() const {
        return store_failure(path, text(kContext, "The labels of runs cannot be read or stored."), database);
    }

    // These two with the mutex held.
    Result<RunLabels> read(const std::string& run_id) const {
        Statement select(database, std::string(kLabelColumns) + "WHERE run_id = ?");
        select.bind(1, run_id);
        switch (select.step()) {
            case Statement::Step::Row:
                return labels_of(select);
            case Statement::Step::Done:
                return RunLabels();
            case Statement::Step::Error:
                break;
        }
        return failure();
    }
    Result<void> write(const std::string& run_id, const RunLabels& labels) {
        Statement insert(database, "INSERT OR REPLACE INTO run_labels VALUES (?, ?, ?, ?, ?)");
        insert.bind(1, run_id)
            .bind(2, std::int64_t{labels.starred ? 1 : 0})
            .bind(3, labels.group)
            .bind(4, labels.note)
            .bind(5, joined(labels.tags, "\n"));
        return insert.step() == Statement::Step::Done ? Result<void>() : Result<void>(failure());
    }
};

RunLabelStore::RunLabelStore(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
RunLabelStore::~RunLabelStore() = default;

Result<std::shared_ptr<RunLabelStore>> RunLabelStore::open(const std::filesystem::path& path) {
    auto impl = std::make_unique<Impl>();
    impl->path = path.string();
    if (!impl->database.open(path.string())) {
        return impl->failure();
    }
    return std::shared_ptr<RunLabelStore>(
        std::unique_ptr<RunLabelStore>(new RunLabelStore(std::move(impl))));  // NOLINT: private
}

Result<std::map<std::string, RunLabels>> RunLabelStore::all() const {
    const std::lock_guard lock(impl_->mutex);
    std::map<std::string, RunLabels> found;
    if (!impl_->has_table()) {
        return found;
    }
    Statement select(impl_->database, kLabelColumns);
    for (;;) {
        switch (select.step()) {
            case Statement::Step::Row:
                found.emplace(select.text(4), labels_of(select));
                break;
            case Statement::Step::Done:
                return found;
            case Statement::Step::Error:
                return impl_->failure();
        }
    }
}

Result<RunLabels> RunLabelStore::of(const std::string& run_id) const {
    const std::lock_guard lock(impl_->mutex);
    return impl_->has_table() ? impl_->read(run_id) : RunLabels();
}

Result<void> RunLabelStore::set(const std::string& run_id, const RunLabels& labels) {
    const std::lock_guard lock(impl_->mutex);
    return impl_->database.run(kLabelTable) ? impl_->write(run_id, labels) : impl_->failure();
}

Result<void> RunLabelStore::change(const std::vector<std::string>& run_ids, const LabelChange& change) {
    const std::lock_guard lock(impl_->mutex);
    if (!impl_->database.run(kLabelTable) || !impl_->database.run("BEGIN IMMEDIATE")) {
        return impl_->failure();
    }
    Result<void> done;
    for (std::size_t i = 0; i < run_ids.size() && done; ++i) {
        const auto before = impl_->read(run_ids[i]);
        done = before ? impl_->write(run_ids[i], change.applied_to(*before)) : before.failure();
    }
    if (done && !impl_->database.run("COMMIT")) {
        done = impl_->failure();
    }
    if (!done) {
        impl_->database.run("ROLLBACK");
    }
    return done;
}

}  // namespace rankscope::inline runs
