// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <gui/data/run_events.h>

#include <QAbstractTableModel>
#include <cstdint>
#include <deque>

namespace rankscope::gui {

/// What happened in a run, one row each, oldest first. Keeps the rows by itself: the run may change between two calls of
/// refresh().
class RunEventsModel : public QAbstractTableModel {
    Q_OBJECT

public:
    enum Column { Time, Place, Kind, Text, NUM_COLUMNS };
    /// Kind as int, rank, time in µs, number of the line in the log.
    enum Role { KindRole = Qt::UserRole, RankRole, TimeRole, LineRole, FaultRole };

    using QAbstractTableModel::QAbstractTableModel;

    /// Another run; null: none. It must outlive this or be replaced.
    void set_events(const RunEvents* events);
    /// The run has new events, or fewer old ones.
    void refresh();
    /// Older ones that are not kept.
    std::uint64_t dropped() const { return first_; }

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role = Qt::DisplayRole) const override;

private:
    const RunEvents* events_ = nullptr;
    std::deque<RunEvent> rows_;
    std::uint64_t first_ = 0;  ///< how many came before the first row
};

}  // namespace rankscope::gui
