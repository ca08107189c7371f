// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <remote/observe/nccl_activity/collective_report.h>

#include <QAbstractTableModel>
#include <memory>
#include <vector>

namespace rankscope::gui {

/// A row for each function and size, of all communicators or of one.
class CollectiveTableModel : public QAbstractTableModel {
    Q_OBJECT

public:
    enum Column {
        Function,
        Ranks,
        Size,
        Count,
        Latency,
        Shortest,
        Longest,
        AlgorithmBandwidth,
        BusBandwidth,
        LinkShare,
        Slowest,
        Last,
        Waits,
        Network,
        Algorithm,
        NUM_COLUMNS
    };
    enum Role { SortRole = Qt::UserRole };

    using QAbstractTableModel::QAbstractTableModel;

    /// `communicator`: index into the report; -1: all, those alike as one.
    void set_report(const std::shared_ptr<const CollectiveReport>& report, int communicator);
    const std::vector<CollectiveRow>& rows() const { return rows_; }

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role = Qt::DisplayRole) const override;

private:
    QString text(const CollectiveRow& row, int column) const;
    QVariant sort_key(const CollectiveRow& row, int column) const;
    QString tool_tip(const CollectiveRow& row) const;

    std::shared_ptr<const CollectiveReport> report_;
    std::vector<CollectiveRow> rows_;
};

}  // namespace rankscope::gui
