// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <gui/models/runs_model.h>
#include <remote/desk/archive/compare/run_groups.h>

#include <QAbstractItemModel>
#include <QTimer>
#include <optional>
#include <vector>

class QAbstractProxyModel;

namespace rankscope::gui {

/// The runs that a filter lets through, in its order, below the groups that they are in. A group's row has how many
/// runs it has, and of every column of numbers the mean ± standard deviation. Empty without a grouping.
class RunGroupsModel : public QAbstractItemModel {
    Q_OBJECT

public:
    RunGroupsModel(RunsModel* runs, QAbstractProxyModel* filter, QObject* parent = nullptr);

    void set_grouping(const std::optional<RunGrouping>& grouping);
    const std::optional<RunGrouping>& grouping() const { return grouping_; }
    /// Null: a group.
    const RunRecord* run_at(const QModelIndex& index) const;
    /// The first place of a run; invalid: it is not there.
    QModelIndex place_of(const std::string& run_id) const;
    QString group_name(int group) const { return groups_[std::size_t(group)].name; }

    QModelIndex index(int row, int column, const QModelIndex& parent = {}) const override;
    QModelIndex parent(const QModelIndex& child) const override;
    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role = Qt::DisplayRole) const override;

private:
    struct Group {
        QString name;
        std::vector<int> rows;  ///< of the runs
        bool operator==(const Group&) const = default;
    };
    std::vector<Group> make_groups() const;
    void rebuild();
    QString group_text(const Group& group, int column) const;

    RunsModel* runs_;
    QAbstractProxyModel* filter_;
    std::optional<RunGrouping> grouping_;
    std::vector<Group> groups_;
    int columns_ = 0;
    QTimer later_;  ///< many values change at once
};

}  // namespace rankscope::gui
