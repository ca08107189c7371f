// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <gui/data/live_model.h>

#include <QAbstractTableModel>

namespace rankscope::gui {

/// One row per rank of the run that Live shows.
class RankTableModel : public QAbstractTableModel {
    Q_OBJECT

public:
    enum Column { Rank, Node, Device, Phase, Step, Epoch, Loss, Accuracy, Throughput, Exit, NUM_COLUMNS };
    enum Role { SortRole = Qt::UserRole, PhaseRole, RankRole };

    explicit RankTableModel(QObject* parent = nullptr);

    void set_live(LiveModel* live);
    /// Reads the run again: rows when their number has changed, else values. The page calls it a few times a
    /// second.
    void refresh();

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role = Qt::DisplayRole) const override;

private:
    QVariant display(const RankState& rank, int column) const;
    QVariant sort_key(const RankState& rank, int column) const;
    QString tool_tip(const RankState& rank) const;

    LiveModel* live_ = nullptr;
    int rows_ = 0;
};

/// "exit code 1", "SIGKILL", "ok": short, for a table cell; empty while it runs.
QString short_exit_text(const RankState& rank);

}  // namespace rankscope::gui
