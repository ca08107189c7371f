// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <gui/data/metric_format.h>
#include <gui/data/node_labels.h>
#include <gui/models/rank_table_model.h>
#include <gui/plain_text.h>
#include <gui/strings.h>
#include <gui/texts.h>
#include <remote/desk/runs/run/rank_memory.h>

#include <QCoreApplication>
#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace rankscope::gui {

QString short_exit_text(const RankState& rank) {
    if (!rank.exit) {
        return {};
    }
    if (rank.exit->signal > 0) {
        return signal_name(rank.exit->signal);
    }
    return rank.exit->code == 0
               ? QCoreApplication::translate("RankTableModel", "ok")
               : QCoreApplication::translate("RankTableModel", "code %1").arg(rank.exit->code);
}

RankTableModel::RankTableModel(QObject* parent) : QAbstractTableModel(parent) {}

void RankTableModel::set_live(LiveModel* live) {
    beginResetModel();
    live_ = live;
    rows_ = live_ ? int(live_->state().ranks.size()) : 0;
    metrics_ = reported();
    read_run();
    endResetModel();
}

void RankTableModel::read_run() {
    holds_.clear();
    if (!live_) {
        node_labels_.clear();
        return;
    }
    holds_ = rank_holds(live_->state());
    const std::vector<RankState>& ranks = live_->state().ranks;
    const bool known = std::all_of(ranks.begin(), ranks.end(),
                                   [&](const RankState& rank) { return node_labels_.contains(rank.node); });
    if (!known) {
        std::vector<std::string> names;
        for (const RankState& rank : ranks) {
            names.push_back(rank.node);
        }
        node_labels_ = node_labels(names);
    }
}

const RankHold& RankTableModel::hold_of(const RankState& rank) const {
    static const RankHold none;
    const auto at = std::size_t(rank.rank);
    return rank.rank >= 0 && at < holds_.size() ? holds_[at] : none;
}

bool RankTableModel::any_exit() const {
    return live_ && std::any_of(live_->state().ranks.begin(), live_->state().ranks.end(),
                                [](const RankState& rank) { return rank.exit.has_value(); });
}

void RankTableModel::set_metrics(const std::vector<std::string>& names) {
    wanted_ = names;
    refresh();
}

std::vector<RankTableModel::Shown> RankTableModel::reported() const {
    std::vector<Shown> shown;
    for (const std::string& name : wanted_) {
        if (const auto id = live_ ? live_->state().metrics.find(name) : std::nullopt) {
            shown.push_back({name, *id});
        }
    }
    return shown;
}

int RankTableModel::column_of(const std::string& name) const {
    const auto at = std::find_if(metrics_.begin(), metrics_.end(),
                                 [&](const Shown& shown) { return shown.name == name; });
    return at == metrics_.end() ? -1 : FIRST_METRIC + int(at - metrics_.begin());
}

void RankTableModel::refresh(std::int64_t now_us) {
    now_us_ = now_us > 0 ? now_us : now_us_;
    const int rows = live_ ? int(live_->state().ranks.size()) : 0;
    read_run();
    std::vector<Shown> metrics = reported();
    if (metrics != metrics_) {
        // The rows stay, and with them what is selected.
        if (!metrics_.empty()) {
            beginRemoveColumns({}, FIRST_METRIC, exit_column() - 1);
            metrics_.clear();
            endRemoveColumns();
        }
        if (!metrics.empty()) {
            beginInsertColumns({}, FIRST_METRIC, FIRST_METRIC + int(metrics.size()) - 1);
            metrics_ = std::move(metrics);
            endInsertColumns();
        }
    }
    if (rows != rows_) {
        beginResetModel();
        rows_ = rows;
        endResetModel();
    } else {
        values_changed();
    }
}

void RankTableModel::show_means(bool on) {
    means_ = {};
    if (on == shows_means_) {
        return;
    }
    shows_means_ = on;
    emit headerDataChanged(Qt::Horizontal, 0, columnCount() - 1);
    values_changed();
}

void RankTableModel::set_means(RankMeans means) {
    means_ = std::move(means);
    values_changed();
}

void RankTableModel::values_changed() {
    if (rows_ > 0) {
        emit dataChanged(index(0, 0), index(rows_ - 1, columnCount() - 1));
    }
}

std::vector<MetricId> RankTableModel::metric_ids() const {
    std::vector<MetricId> ids;
    for (const Shown& shown : metrics_) {
        ids.push_back(shown.id);
    }
    return ids;
}

std::optional<double> RankTableModel::value_of(const RankState& rank, MetricId metric) const {
    if (!shows_means_) {
        return rank.last_of(metric);
    }
    const auto at = std::find(means_.metrics.begin(), means_.metrics.end(), metric);
    if (at == means_.metrics.end() || rank.rank < 0) {
        return {};
    }
    const std::vector<double>& of_metric = means_.of[std::size_t(at - means_.metrics.begin())];
    const auto row = std::size_t(rank.rank);
    return row < of_metric.size() && !std::isnan(of_metric[row]) ? std::optional(of_metric[row])
                                                                 : std::nullopt;
}

int RankTableModel::rowCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : rows_;
}

int RankTableModel::columnCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : FIRST_METRIC + int(metrics_.size()) + 1;
}

QVariant RankTableModel::data(const QModelIndex& index, int role) const {
    if (!live_ || !index.isValid() || index.row() >= int(live_->state().ranks.size())) {
        return {};
    }
    const RankState& rank = live_->state().ranks[std::size_t(index.row())];
    switch (role) {
        case Qt::DisplayRole:
            return display(rank, index.column());
        case SortRole:
            return sort_key(rank, index.column());
        case PhaseRole:
            return int(rank.phase);
        case HoldRole:
            return int(hold_of(rank).kind);
        case RankRole:
            return rank.rank;
        case StaleRole:
            return broken_link(rank) != nullptr || hold_of(rank).kind == RankHold::Kind::Unknown;
        case Qt::ToolTipRole:
            return plain_text(tool_tip(rank));
        case Qt::TextAlignmentRole:
            return int((left_aligned(index.column()) ? Qt::AlignLeft : Qt::AlignRight) | Qt::AlignVCenter);
        default:
            return {};
    }
}

QVariant RankTableModel::display(const RankState& rank, int column) const {
    switch (column) {
        case Rank:
            return QString::number(rank.rank);
        case Node: {
            const auto label = node_labels_.find(rank.node);
            return label == node_labels_.end() ? qs(rank.node) : label->second;
        }
        case Device:
            return qs(rank.device);
        case Place:
            return qs(place_text(*live_->mesh(), rank.rank));
        case Phase:
            if (const NodeLink* link = broken_link(rank);
                link != nullptr && hold_of(rank).kind == RankHold::Kind::Unknown) {
                return link_state_text(*link, now_us_);  // while it runs: for how long
            }
            if (const RankHold& hold = hold_of(rank); !hold.text.isEmpty()) {
                return hold.text;
            }
            return phase_text(rank.phase);
        case Step:
            return rank.step < 0 ? QString() : count_text(rank.step);
        case Epoch:
            return rank.epoch < 0 ? QString() : QString::number(rank.epoch, 'f', 0);
        default:
            break;
    }
    if (column == exit_column()) {
        return short_exit_text(rank);
    }
    const Shown& metric = metrics_[std::size_t(column - FIRST_METRIC)];
    const auto value = value_of(rank, metric.id);
    return value ? metric_value_text(metric.name, *value) : QString();
}

QVariant RankTableModel::sort_key(const RankState& rank, int column) const {
    switch (column) {
        case Rank:
            return rank.rank;
        case Place:
            return place_key(rank.rank);
        case Phase:
            return int(rank.phase) - 100 * int(hold_of(rank).kind == RankHold::Kind::Faulty ||
                                               hold_of(rank).kind == RankHold::Kind::Failed);
        case Step:
            return qlonglong(rank.step);
        case Epoch:
            return rank.epoch;
        default:
            break;
    }
    if (column == Node) {
        return qs(rank.node);
    }
    if (column < FIRST_METRIC || column == exit_column()) {
        return display(rank, column);
    }
    const auto value = value_of(rank, metrics_[std::size_t(column - FIRST_METRIC)].id);
    // Below every number, so that they stand together: first what is missing, then NaN.
    constexpr double kLowest = std::numeric_limits<double>::lowest();
    return !value ? -std::numeric_limits<double>::infinity() : std::isnan(*value) ? kLowest : *value;
}

/// By the outermost axis first.
qlonglong RankTableModel::place_key(int rank) const {
    const Mesh& mesh = live_->mesh()->mesh;
    qlonglong key = -1;
    for (std::size_t axis = 0;
         rank >= 0 && std::size_t(rank) < mesh.coordinates.size() && axis < mesh.axes.size(); ++axis) {
        key = key * (mesh.axes[axis].size + 1) + mesh.coordinates[std::size_t(rank)][axis] + 1;
    }
    return key;
}

bool RankTableModel::left_aligned(int column) const {
    return column == Node || column == Device || column == Place || column == Phase ||
           column == exit_column();
}

const NodeLink* RankTableModel::broken_link(const RankState& rank) const {
    if (rank.exit || live_->state().outcome != Outcome::Running) {
        return nullptr;
    }
    const auto& links = live_->state().links;
    const auto link = links.find(rank.node);
    return link == links.end() || link->second.reachable() ? nullptr : &link->second;
}

QString RankTableModel::tool_tip(const RankState& rank) const {
    QStringList lines{tr("Rank %1 (local rank %2) on %3, %4")
                          .arg(rank.rank)
                          .arg(rank.local_rank)
                          .arg(qs(rank.node), qs(rank.device)),
                      phase_text(rank.phase)};
    if (rank.outer_rank >= 0 && rank.pid > 0) {
        lines.insert(1,
                     tr("process %1, started by the program of rank %2").arg(rank.pid).arg(rank.outer_rank));
    }
    if (const QString place = qs(place_text(*live_->mesh(), rank.rank)); !place.isEmpty()) {
        lines.insert(1, place);
    }
    const RankHold& hold = hold_of(rank);
    if (hold.kind == RankHold::Kind::None && !hold.text.isEmpty()) {
        lines.last() = hold.text;
    }
    if (hold.kind != RankHold::Kind::None && hold.kind != RankHold::Kind::Failed) {
        lines.last() = tr("%1; last reported: %2").arg(hold.text, phase_text(rank.phase));
    } else if (broken_link(rank)) {
        lines.last() = tr("before its node stopped answering: %1").arg(phase_text(rank.phase));
    }
    if (rank.exit) {
        lines += tr("ended with %1").arg(exit_text(rank.exit->code, rank.exit->signal));
        if (!rank.exit->reason.empty()) {
            lines += qs(rank.exit->reason);
        }
    }
    if (const QString memory = qs(rank_memory_text(live_->state(), rank, *live_->mesh()));
        !memory.isEmpty()) {
        lines += memory;
    }
    if (!rank.params.empty()) {
        lines += tr("parameters %1").arg(qs(rank.params));
    }
    return lines.join(u'\n');
}

QVariant RankTableModel::headerData(int section, Qt::Orientation orientation, int role) const {
    if (orientation != Qt::Horizontal) {
        return {};
    }
    if (role == Qt::TextAlignmentRole) {
        return int((left_aligned(section) ? Qt::AlignLeft : Qt::AlignRight) | Qt::AlignVCenter);
    }
    if (role == Qt::ToolTipRole && section == Place && any_place()) {
        return plain_text(tr("The place in the mesh: %1").arg(qs(mesh_text(*live_->mesh()))));
    }
    if (role == Qt::ToolTipRole && section >= FIRST_METRIC && section < exit_column()) {
        const QString title = plain_text(metric_title(metrics_[std::size_t(section - FIRST_METRIC)].name));
        return shows_means_ ? tr("%1: mean over the chosen range").arg(title) : title;
    }
    if (role != Qt::DisplayRole) {
        return {};
    }
    switch (section) {
        case Rank:
            return tr("Rank");
        case Node:
            return tr("Node");
        case Device:
            return tr("Device");
        case Place:
            return tr("Place");
        case Phase:
            return tr("State");
        case Step:
            return tr("Step");
        case Epoch:
            return tr("Epoch");
        default:
            break;
    }
    if (section == exit_column()) {
        return tr("Exit");
    }
    const auto metric = std::size_t(section - FIRST_METRIC);
    if (metric >= metrics_.size()) {
        return {};
    }
    const QString header = metric_header(metrics_[metric].name);
    return shows_means_ ? tr("mean %1").arg(header) : header;
}

}  // namespace rankscope::gui
