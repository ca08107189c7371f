// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <remote/desk/runs/watch/rank_looks.h>

#include <QAbstractTableModel>
#include <map>
#include <utility>
#include <vector>

namespace rankscope::gui {

/// A row for each rank of a run that was inspected: its process, and what it does where.
class ExaminedRanksModel : public QAbstractTableModel {
    Q_OBJECT

public:
    enum Column { Rank, Node, Pid, State, Cpu, Does, Where, NUM_COLUMNS };

    using QAbstractTableModel::QAbstractTableModel;

    void set_ranks(const std::map<int, RankSeen>& ranks);

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role = Qt::DisplayRole) const override;

private:
    QString text(int row, int column) const;
    QString stack(int row) const;

    std::vector<std::pair<int, RankSeen>> rows_;
};

}  // namespace rankscope::gui
