// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <gui/models/runs_model.h>
#include <gui/strings.h>
#include <gui/texts.h>

#include <algorithm>
#include <utility>

namespace rankscope::gui {

namespace {

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
    if (same_rows) {
        runs_ = std::move(runs);
        if (!runs_.empty()) {
            emit dataChanged(index(0, 0), index(int(runs_.size()) - 1, NUM_COLUMNS - 1));
        }
        return;
    }
    beginResetModel();
    runs_ = std::move(runs);
    endResetModel();
}

void RunsModel::set_now(std::int64_t now_us) {
    now_us_ = now_us;
    if (!runs_.empty()) {
        emit dataChanged(index(0, Duration), index(int(runs_.size()) - 1, Duration));
    }
}

void RunsModel::set_labels(std::map<std::string, RunLabels> labels) {
    if (labels_ == labels) {
        return;
    }
    labels_ = std::move(labels);
    if (!runs_.empty()) {
        emit dataChanged(index(0, 0), index(int(runs_.size()) - 1, NUM_COLUMNS - 1));
    }
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
    return parent.isValid() ? 0 : NUM_COLUMNS;
}

double RunsModel::duration_s(const RunRecord& run) const {
    const std::int64_t end = run.ended_us > 0 ? run.ended_us : now_us_;
    return end > run.started_us ? double(end - run.started_us) / 1e6 : -1;
}

QString RunsModel::display(const RunRecord& run, int column) const {
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
            return duration_text(duration_s(run));
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

QVariant RunsModel::data(const QModelIndex& index, int role) const {
    const RunRecord* run = index.isValid() ? at(index.row()) : nullptr;
    if (!run) {
        return {};
    }
    const bool right = index.column() == Ranks || index.column() == Duration;
    switch (role) {
        case Qt::ToolTipRole:
            if (index.column() == Star) {
                return labels(*run).starred ? tr("Starred") : tr("Click to star this run");
            }
            return index.column() == Labels && !labels(*run).note.empty() ? qs(labels(*run).note)
                                                                          : display(*run, index.column());
        case Qt::DisplayRole:
            return display(*run, index.column());
        case Qt::AccessibleTextRole:
            return index.column() == Star ? (labels(*run).starred ? tr("starred") : tr("not starred"))
                                          : display(*run, index.column());
        case OutcomeRole:
            return int(run->outcome);
        case RunIdRole:
            return qs(run->run_id);
        case Qt::TextAlignmentRole:
            return int((right ? Qt::AlignRight : Qt::AlignLeft) | Qt::AlignVCenter);
        case SortRole:
            switch (index.column()) {
                case Started:
                    return qlonglong(run->started_us);
                case Duration:
                    return duration_s(*run);
                case Ranks:
                    return run->world_size;
                default:
                    return display(*run, index.column());
            }
        default:
            return {};
    }
}

QVariant RunsModel::headerData(int section, Qt::Orientation orientation, int role) const {
    if (orientation != Qt::Horizontal) {
        return {};
    }
    if (role == Qt::TextAlignmentRole) {
        const bool right = section == Ranks || section == Duration;
        return int((right ? Qt::AlignRight : Qt::AlignLeft) | Qt::AlignVCenter);
    }
    if (role != Qt::DisplayRole) {
        return {};
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
