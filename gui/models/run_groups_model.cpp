// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <gui/data/metric_format.h>
#include <gui/models/run_groups_model.h>
#include <gui/plain_text.h>
#include <gui/strings.h>

#include <QAbstractProxyModel>
#include <algorithm>
#include <cmath>
#include <map>

namespace rankscope::gui {

RunGroupsModel::RunGroupsModel(RunsModel* runs, QAbstractProxyModel* filter, QObject* parent)
    : QAbstractItemModel(parent), runs_(runs), filter_(filter) {
    later_.setSingleShot(true);
    later_.setInterval(0);
    connect(&later_, &QTimer::timeout, this, &RunGroupsModel::rebuild);
    connect(filter_, &QAbstractItemModel::modelReset, this, &RunGroupsModel::rebuild);
    connect(filter_, &QAbstractItemModel::rowsInserted, this, &RunGroupsModel::rebuild);
    connect(filter_, &QAbstractItemModel::rowsRemoved, this, &RunGroupsModel::rebuild);
    connect(filter_, &QAbstractItemModel::columnsInserted, this, &RunGroupsModel::rebuild);
    connect(filter_, &QAbstractItemModel::columnsRemoved, this, &RunGroupsModel::rebuild);
    connect(filter_, &QAbstractItemModel::layoutChanged, this, [this] { later_.start(); });
    connect(filter_, &QAbstractItemModel::dataChanged, this, [this] { later_.start(); });
    columns_ = runs_->columnCount();
}

void RunGroupsModel::set_grouping(const std::optional<RunGrouping>& grouping) {
    grouping_ = grouping;
    rebuild();
}

std::vector<RunGroupsModel::Group> RunGroupsModel::make_groups() const {
    std::vector<Group> groups;
    std::map<std::string, std::size_t> known;
    for (int i = 0; grouping_ && i < filter_->rowCount(); ++i) {
        const int row = filter_->mapToSource(filter_->index(i, 0)).row();
        const RunRecord* run = runs_->at(row);
        if (!run) {
            continue;
        }
        for (const auto& name : grouping_->groups_of(*run, runs_->labels(*run), runs_->summary(*run))) {
            const auto [place, added] = known.emplace(name, groups.size());
            if (added) {
                groups.push_back({qs(name), {}});
            }
            groups[place->second].rows.push_back(row);
        }
    }
    return groups;
}

void RunGroupsModel::rebuild() {
    later_.stop();
    auto groups = make_groups();
    if (groups == groups_ && columns_ == runs_->columnCount()) {
        for (int i = 0; i < int(groups_.size()); ++i) {
            const QModelIndex group = index(i, 0);
            emit dataChanged(group, index(i, columns_ - 1));
            emit dataChanged(index(0, 0, group), index(rowCount(group) - 1, columns_ - 1, group));
        }
        return;
    }
    beginResetModel();
    groups_ = std::move(groups);
    columns_ = runs_->columnCount();
    endResetModel();
}

QModelIndex RunGroupsModel::index(int row, int column, const QModelIndex& parent) const {
    if (row < 0 || row >= rowCount(parent) || column < 0 || column >= columns_) {
        return {};
    }
    return createIndex(row, column, parent.isValid() ? quintptr(parent.row()) + 1 : quintptr(0));
}

QModelIndex RunGroupsModel::parent(const QModelIndex& child) const {
    return child.isValid() && child.internalId() > 0
               ? createIndex(int(child.internalId() - 1), 0, quintptr(0))
               : QModelIndex();
}

int RunGroupsModel::rowCount(const QModelIndex& parent) const {
    if (!parent.isValid()) {
        return int(groups_.size());
    }
    return parent.internalId() == 0 && parent.column() == 0
               ? int(groups_[std::size_t(parent.row())].rows.size())
               : 0;
}

int RunGroupsModel::columnCount(const QModelIndex& /*parent*/) const {
    return columns_;
}

const RunRecord* RunGroupsModel::run_at(const QModelIndex& index) const {
    if (!index.isValid() || index.internalId() == 0) {
        return nullptr;
    }
    const auto& rows = groups_[std::size_t(index.internalId() - 1)].rows;
    return std::size_t(index.row()) < rows.size() ? runs_->at(rows[std::size_t(index.row())]) : nullptr;
}

QModelIndex RunGroupsModel::place_of(const std::string& run_id) const {
    for (std::size_t group = 0; group < groups_.size(); ++group) {
        const auto& rows = groups_[group].rows;
        const auto found =
            std::find_if(rows.begin(), rows.end(), [&](int row) { return runs_->at(row)->run_id == run_id; });
        if (found != rows.end()) {
            return createIndex(int(found - rows.begin()), 0, quintptr(group) + 1);
        }
    }
    return {};
}

QString RunGroupsModel::group_text(const Group& group, int column) const {
    if (column == RunsModel::Name) {
        return tr("%1 (%2)").arg(group.name.isEmpty() ? tr("none") : group.name).arg(group.rows.size());
    }
    if (column < RunsModel::NUM_COLUMNS) {
        return {};
    }
    std::vector<double> values;
    for (const int row : group.rows) {
        values.push_back(runs_->value(row, column).number);
    }
    const Spread spread = spread_of(values);
    const RunColumn& chosen = runs_->chosen()[std::size_t(column - RunsModel::NUM_COLUMNS)];
    if (spread.count == 0 || chosen.kind != RunColumn::Kind::Metric) {
        return spread.count > 0 ? qs(to_text(spread)) : QString();
    }
    const QString mean = metric_value_text(chosen.key, spread.mean);
    return spread.count == 1 ? mean
                             : tr("%1 ± %2").arg(mean, metric_value_text(chosen.key, spread.deviation));
}

QVariant RunGroupsModel::data(const QModelIndex& index, int role) const {
    if (!index.isValid()) {
        return {};
    }
    if (index.internalId() > 0) {
        const int row = groups_[std::size_t(index.internalId() - 1)].rows[std::size_t(index.row())];
        return runs_->index(row, index.column()).data(role);
    }
    switch (role) {
        case Qt::DisplayRole:
        case Qt::AccessibleTextRole:
            return group_text(groups_[std::size_t(index.row())], index.column());
        case Qt::ToolTipRole:
            return plain_text(group_text(groups_[std::size_t(index.row())], index.column()));
        case Qt::TextAlignmentRole:
            return int((runs_->is_number(index.column()) ? Qt::AlignRight : Qt::AlignLeft) |
                       Qt::AlignVCenter);
        default:
            return {};
    }
}

QVariant RunGroupsModel::headerData(int section, Qt::Orientation orientation, int role) const {
    return runs_->headerData(section, orientation, role);
}

}  // namespace rankscope::gui
