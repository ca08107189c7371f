// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <gui/data/live_model.h>
#include <gui/data/run_moment.h>

#include <QWidget>

class QComboBox;
class QLabel;
class QLineEdit;
class QModelIndex;
class QPoint;
class QTableView;

namespace rankscope::gui {

class RunEventsFilter;
class RunEventsModel;

/// What happened in the run: stages, notices, verdicts, exits, checkpoints. A row leads to its moment on the curves and to
/// its line in the log.
class EventsPane : public QWidget {
    Q_OBJECT

public:
    explicit EventsPane(QWidget* parent = nullptr);

    void set_live(LiveModel* live);
    /// New events, or new ranks.
    void refresh();
    /// Shows only the events of these times.
    void set_range(const TimeSpan& span);
    QTableView* table() const { return table_; }
    /// The selected rows, or all shown ones, as lines that a spreadsheet takes.
    void copy(bool all) const;

signals:
    /// The user chose a row: its moment, to be marked on the curves.
    void momentChosen(qint64 t_us, int rank);
    /// The user wants to see the curves at that moment.
    void momentRequested(qint64 t_us, int rank);
    /// The user wants to see the line of the log with this number.
    void lineRequested(int rank, quint64 number);
    /// There is no line: the user wants to see the log at that time.
    void logRequested(qint64 t_us, int rank);
    /// The user wants to see only these times.
    void rangeRequested(const rankscope::gui::TimeSpan& span);
    void rankChosen(int rank);

private:
    QWidget* make_bar();
    void make_table();
    void fill_ranks();
    void show_count();
    void show_menu(const QPoint& at);
    void show_log_of(const QModelIndex& index);
    TimeSpan selected_span() const;

    LiveModel* live_ = nullptr;
    int known_ranks_ = -1;
    bool updating_ = false;  ///< another current row is not the user's choice
    RunEventsModel* model_;
    RunEventsFilter* filter_;
    QComboBox* kinds_;
    QComboBox* ranks_;
    QLineEdit* text_;
    QTableView* table_;
    QLabel* count_;
};

}  // namespace rankscope::gui
