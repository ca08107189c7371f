// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <gui/data/run_moment.h>

#include <QSortFilterProxyModel>
#include <QString>

namespace rankscope::gui {

/// The events of one kind, of one rank, of some times, with some text.
class RunEventsFilter : public QSortFilterProxyModel {
    Q_OBJECT

public:
    using QSortFilterProxyModel::QSortFilterProxyModel;

    void set_kind(int kind);  ///< -1: all
    void set_rank(int rank);  ///< -1: all
    void set_text(const QString& text);
    void set_range(const TimeSpan& span);
    bool is_open() const { return kind_ < 0 && rank_ < 0 && text_.isEmpty() && span_ == TimeSpan(); }

protected:
    bool filterAcceptsRow(int row, const QModelIndex& parent) const override;

private:
    int kind_ = -1;
    int rank_ = -1;
    QString text_;
    TimeSpan span_;
};

}  // namespace rankscope::gui
