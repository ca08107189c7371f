// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <gui/data/metric_format.h>
#include <gui/models/run_column_texts.h>
#include <gui/models/runs_model.h>
#include <gui/plain_text.h>
#include <gui/strings.h>
#include <gui/texts.h>
#include <remote/desk/archive/compare/run_summary.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <utility>

namespace rankscope::gui {

namespace {

/// A run that somebody watches is heard of every few seconds.
constexpr std::int64_t kWatchedUs = 30'000'000;

// "lr-sweep: baseline, warm-up".
QString label_text(const RunLabels& labels) {
    QStringList tags;
    for (const auto& tag : labels.tags) {
        tags += qs(tag);
    }
    const QString list = tags.join(u", "_s);
    return labels.group.empty() ? list
           : list.isEmpty()     ? qs(labels.group)
                                : qs(labels.group) + u": "_s + list;
}

}  // namespace

RunsModel::RunsModel(QObject* parent) : QAbstractTableModel(parent) {}

void RunsModel::set_runs(std::vector<RunRecord> runs) {
    const bool same_rows =
        std::equal(runs.begin(), runs.end(), runs_.begin(), runs_.end(),
                   [](const RunRecord& a, const RunRecord& b) { return a.run_id == b.run_id; });
    if (!same_rows) {
        beginResetModel();
        runs_ = std::move(runs);
        compute_all_values();
        endResetModel();
        return;
    }
    // With thousands of runs only what has changed may be sorted and drawn again.
    for (std::size_t i = 0; i < runs.size(); ++i) {
        RunRecord& old = runs_[i];
        const bool same = old.ended_us == runs[i].ended_us && old.outcome == runs[i].outcome &&
                          old.summary == runs[i].summary && old.nodes == runs[i].nodes &&
                          old.world_size == runs[i].world_size && old.name == runs[i].name;
        old = std::move(runs[i]);
        if (!same) {
            compute_values(i);
            emit_changed(int(i), int(i), 0);
        }
    }
}

void RunsModel::emit_changed(int first_row, int last_row, int first_column) {
    emit dataChanged(index(first_row, first_column), index(last_row, columnCount() - 1));
}

void RunsModel::set_now(std::int64_t now_us) {
    now_us_ = now_us;
    for (std::size_t i = 0; i < runs_.size(); ++i) {
        if (runs_[i].outcome == Outcome::Running) {
            emit dataChanged(index(int(i), Duration), index(int(i), Duration));
        }
    }
}

void RunsModel::set_labels(std::map<std::string, RunLabels> labels) {
    if (labels_ == labels) {
        return;
    }
    labels_ = std::move(labels);
    if (!runs_.empty()) {
        emit_changed(0, int(runs_.size()) - 1, 0);
    }
}

void RunsModel::compute_values(std::size_t row) {
    values_[row].clear();
    for (const RunColumn& column : chosen_) {
        values_[row].push_back(column_value(column, runs_[row], summary(runs_[row])));
    }
}

void RunsModel::compute_all_values() {
    values_.assign(runs_.size(), {});
    for (std::size_t row = 0; row < runs_.size(); ++row) {
        compute_values(row);
    }
}

void RunsModel::add_summaries(const RunSummaries& summaries) {
    for (const auto& [run_id, summary] : summaries) {
        summaries_[run_id] = summary;
    }
    if (chosen_.empty()) {
        return;
    }
    int first = -1;
    int last = -1;
    for (std::size_t row = 0; row < runs_.size(); ++row) {
        if (summaries.count(runs_[row].run_id) > 0) {
            compute_values(row);
            first = first < 0 ? int(row) : first;
            last = int(row);
        }
    }
    if (first >= 0) {
        emit_changed(first, last, NUM_COLUMNS);
    }
}

const RunSummary* RunsModel::summary(const RunRecord& run) const {
    const auto found = summaries_.find(run.run_id);
    return found == summaries_.end() ? nullptr : found->second.get();
}

void RunsModel::set_chosen(const std::vector<RunColumn>& columns) {
    for (std::size_t i = chosen_.size(); i-- > 0;) {
        if (std::find(columns.begin(), columns.end(), chosen_[i]) == columns.end()) {
            const int column = NUM_COLUMNS + int(i);
            beginRemoveColumns({}, column, column);
            chosen_.erase(chosen_.begin() + std::ptrdiff_t(i));
            compute_all_values();
            endRemoveColumns();
        }
    }
    for (const RunColumn& added : columns) {
        if (std::find(chosen_.begin(), chosen_.end(), added) == chosen_.end()) {
            beginInsertColumns({}, columnCount(), columnCount());
            chosen_.push_back(added);
            compute_all_values();
            endInsertColumns();
        }
    }
}

const ColumnValue& RunsModel::value(int row, int column) const {
    static const ColumnValue none;
    const auto at = std::size_t(column - NUM_COLUMNS);
    return column < NUM_COLUMNS || std::size_t(row) >= values_.size() ||
                   at >= values_[std::size_t(row)].size()
               ? none
               : values_[std::size_t(row)][at];
}

bool RunsModel::is_number(int column) const {
    if (column < NUM_COLUMNS) {
        return column == Ranks || column == Duration;
    }
    const RunColumn& chosen = chosen_[std::size_t(column - NUM_COLUMNS)];
    return chosen.kind == RunColumn::Kind::Metric || chosen.key == "steps" || chosen.key == "exit_code";
}

const RunLabels& RunsModel::labels(const RunRecord& run) const {
    static const RunLabels none;
    const auto found = labels_.find(run.run_id);
    return found == labels_.end() ? none : found->second;
}

const RunRecord* RunsModel::at(int row) const {
    return row < 0 || row >= int(runs_.size()) ? nullptr : &runs_[std::size_t(row)];
}

int RunsModel::row_of(const std::string& run_id) const {
    for (std::size_t i = 0; i < runs_.size(); ++i) {
        if (runs_[i].run_id == run_id) {
            return int(i);
        }
    }
    return -1;
}

int RunsModel::rowCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : int(runs_.size());
}

int RunsModel::columnCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : NUM_COLUMNS + int(chosen_.size());
}

void RunsModel::set_heard(std::map<std::string, std::int64_t> heard_us, std::set<std::string> watched) {
    heard_us_ = std::move(heard_us);
    watched_ = std::move(watched);
}

std::int64_t RunsModel::known_until(const RunRecord& run) const {
    if (run.ended_us > 0 || watched_.count(run.run_id) > 0) {
        return 0;
    }
    const auto heard = heard_us_.find(run.run_id);
    const std::int64_t last = std::max(run.started_us, heard == heard_us_.end() ? 0 : heard->second);
    return now_us_ - last < kWatchedUs ? 0 : last;
}

double RunsModel::duration_s(const RunRecord& run) const {
    const std::int64_t known = known_until(run);
    const std::int64_t end = run.ended_us > 0 ? run.ended_us : known > 0 ? known : now_us_;
    return end > run.started_us ? double(end - run.started_us) / 1e6 : -1;
}

QString RunsModel::display(int row, int column) const {
    const RunRecord& run = runs_[std::size_t(row)];
    if (column >= NUM_COLUMNS) {
        const RunColumn& chosen = chosen_[std::size_t(column - NUM_COLUMNS)];
        const ColumnValue& cell = value(row, column);
        return chosen.kind == RunColumn::Kind::Metric && std::isfinite(cell.number)
                   ? metric_value_text(chosen.key, cell.number)
                   : qs(cell.text);
    }
    switch (column) {
        case Star:
            return labels(run).starred ? u"★"_s : QString();
        case Labels:
            return label_text(labels(run));
        case Name:
            return qs(run.name);
        case Started:
            return date_time_text(run.started_us);
        case Duration:
            return known_until(run) > 0 ? tr("at least %1").arg(duration_text(std::max(0.0, duration_s(run))))
                                        : duration_text(duration_s(run));
        case Nodes:
            return qs(run.nodes).replace(u","_s, u", "_s).replace(u",  "_s, u", "_s);
        case Ranks:
            return QString::number(run.world_size);
        case State:
            return outcome_text(run.outcome);
        case Summary:
            return qs(run.summary);
        default:
            return {};
    }
}

QString RunsModel::tip(int row, int column) const {
    const RunRecord& run = runs_[std::size_t(row)];
    if (column == Star) {
        return labels(run).starred ? tr("Starred") : tr("Click to star this run");
    }
    if (column == Labels && !labels(run).note.empty()) {
        return qs(labels(run).note);
    }
    if (const std::int64_t known = column == Duration ? known_until(run) : 0; known > 0) {
        return tr("%1\nas of %2, when it was last heard of. Attach to see whether it goes on.")
            .arg(display(row, column), date_time_text(known));
    }
    if (column == Name) {
        return run.parent.empty()
                   ? tr("%1\n%2").arg(qs(run.name), qs(run.run_id))
                   : tr("%1\n%2, run again from %3").arg(qs(run.name), qs(run.run_id), qs(run.parent));
    }
    return display(row, column);
}

QVariant RunsModel::data(const QModelIndex& index, int role) const {
    const RunRecord* run = index.isValid() ? at(index.row()) : nullptr;
    if (!run) {
        return {};
    }
    switch (role) {
        case Qt::ToolTipRole:
            return plain_text(tip(index.row(), index.column()));
        case Qt::DisplayRole:
            return display(index.row(), index.column());
        case Qt::AccessibleTextRole:
            return index.column() == Star ? (labels(*run).starred ? tr("starred") : tr("not starred"))
                                          : display(index.row(), index.column());
        case OutcomeRole:
            return int(run->outcome);
        case RunIdRole:
            return qs(run->run_id);
        case Qt::TextAlignmentRole:
            return int((is_number(index.column()) ? Qt::AlignRight : Qt::AlignLeft) | Qt::AlignVCenter);
        case SortRole:
            switch (index.column()) {
                case Started:
                    return qlonglong(run->started_us);
                case Duration:
                    return duration_s(*run);
                case Ranks:
                    return run->world_size;
                default:
                    return display(index.row(), index.column());
            }
        default:
            return {};
    }
}

QVariant RunsModel::headerData(int section, Qt::Orientation orientation, int role) const {
    if (orientation != Qt::Horizontal || section < 0 || section >= columnCount()) {
        return {};
    }
    if (role == Qt::TextAlignmentRole) {
        return int((is_number(section) ? Qt::AlignRight : Qt::AlignLeft) | Qt::AlignVCenter);
    }
    if (role == Qt::ToolTipRole && section >= NUM_COLUMNS) {
        return plain_text(run_column_text(chosen_[std::size_t(section - NUM_COLUMNS)]));
    }
    if (role != Qt::DisplayRole) {
        return {};
    }
    if (section >= NUM_COLUMNS) {
        return run_column_header(chosen_[std::size_t(section - NUM_COLUMNS)]);
    }
    switch (section) {
        case Name:
            return tr("Run");
        case Started:
            return tr("Started");
        case Duration:
            return tr("Duration");
        case Nodes:
            return tr("Nodes");
        case Ranks:
            return tr("Ranks");
        case State:
            return tr("Outcome");
        case Star:
            return u"★"_s;
        case Labels:
            return tr("Labels");
        case Summary:
            return tr("Summary");
        default:
            return {};
    }
}

}  // namespace rankscope::gui
