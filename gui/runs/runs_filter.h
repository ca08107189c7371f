// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <remote/desk/runs/store/run_filter.h>

#include <QSortFilterProxyModel>

namespace rankscope::gui {

/// The runs that fit what the user writes into the search line.
class RunsFilter : public QSortFilterProxyModel {
    Q_OBJECT

public:
    explicit RunsFilter(QObject* parent = nullptr);

    void set_line(const QString& line);

protected:
    bool filterAcceptsRow(int row, const QModelIndex& parent) const override;
    /// Numbers as numbers; what a run does not have stands last, whatever the order.
    bool lessThan(const QModelIndex& left, const QModelIndex& right) const override;

private:
    RunFilter filter_;
};

}  // namespace rankscope::gui
