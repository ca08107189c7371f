// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <gui/data/live_model.h>
#include <gui/data/run_moment.h>
#include <gui/data/run_place.h>
#include <gui/logview/log_saver.h>

#include <QWidget>
#include <optional>
#include <string>

class QActionGroup;
class QComboBox;
class QLabel;
class QLineEdit;
class QMenu;
class QPushButton;
class QThreadPool;
class QToolButton;

namespace rankscope::gui {

class LogRows;
class LogSearchBar;
class LogView;

/// The output of the ranks, all of it: of all in the order of time, of one node, or of one rank.
class LogPane : public QWidget {
    Q_OBJECT

public:
    explicit LogPane(QThreadPool* pool, QWidget* parent = nullptr);
    ~LogPane() override;

    void set_live(LiveModel* live);
    /// New lines, or new ranks.
    void refresh();
    void show_rank(int rank);  ///< -1: all
    void show_node(const std::string& node);
    /// The same line of several ranks once, with the ranks that printed it.
    void set_folded(bool on);
    /// -1: all, or a node.
    int shown_rank() const;
    /// Selects a line and scrolls to it; shows the rank alone where the line is not among those shown. False: there is
    /// no such line.
    bool show_line(int rank, std::uint64_t number);
    /// Selects the first line of a rank (-1: of those shown) at or after this time, or the last one before it.
    void show_moment(std::int64_t t_us, int rank);
    /// Shows only the lines of these times.
    void set_range(const TimeSpan& span);
    const TimeSpan& range() const { return range_; }
    LogView* view() const { return view_; }
    LogRows* rows() const { return rows_; }
    QLineEdit* search() const;
    void focus_search();
    /// Where the user is, and back there.
    LogPlace place() const;
    void return_to(const LogPlace& place);
    /// Writes the shown lines, or those of all ranks, to a file.
    void save(const QString& path, bool all);

signals:
    /// The user wants to see when this was on the curves.
    void momentRequested(qint64 t_us, int rank);
    /// The user wants to see only these times.
    void rangeRequested(const rankscope::gui::TimeSpan& span);
    /// What is asked for lies elsewhere: all times are shown again.
    void rangeLeft();
    /// The user chose the rank of a line.
    void rankChosen(int rank);

private:
    struct Moment {
        std::int64_t t_us = 0;
        int rank = -1;
    };

    QWidget* make_bar();
    QWidget* make_note();
    QMenu* make_menu(QWidget* parent);
    void fill_chooser();
    void choose();
    void choose_item(const QVariant& item);
    void filter(const TimeSpan& span);
    void leave_range();
    TimeSpan selected_span() const;
    LineChoice choice() const;
    /// What the view shows beside the lines.
    void update_ranks();
    void ask_path(bool all);
    void saved(const QString& path, quint32 lines, const QString& fault);
    void update_note();
    void show_wanted();
    std::optional<std::uint32_t> row_of(const Moment& moment) const;
    bool can_show_moment(quint32 line) const;
    void show_on_curves(quint32 line);
    void fill_context_menu(QMenu* menu, quint32 line);

    LiveModel* live_ = nullptr;
    LogRows* rows_;
    LogView* view_;
    LogSearchBar* search_;
    LogSaver saver_;
    int known_ranks_ = -1;
    std::uint32_t seen_ = 0;  ///< lines of the store
    std::optional<std::uint32_t> wanted_line_;
    std::optional<Moment> wanted_moment_;
    TimeSpan range_;   ///< that is shown
    QString message_;  ///< of the last action
    QComboBox* chooser_;
    QToolButton* follow_;
    QToolButton* fold_;
    QWidget* note_row_;
    QLabel* note_;
    QPushButton* cancel_;
    QActionGroup* times_;
};

}  // namespace rankscope::gui
