// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <gui/data/live_model.h>
#include <gui/data/run_moment.h>
#include <gui/data/run_place.h>
#include <gui/logview/log_panel.h>

#include <optional>
#include <string>

class QActionGroup;
class QComboBox;
class QMenu;
class QToolButton;

namespace rankscope::gui {

/// The output of the ranks, all of it: of all in the order of time, of one node, or of one rank.
class LogPane : public LogPanel {
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
    /// Where the user is, and back there.
    LogPlace place() const;
    void return_to(const LogPlace& place);
    /// Writes the shown lines, or those of all ranks, to a file.
    void save(const QString& path, bool all) { LogPanel::save(path, saved_lines(all)); }

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
    SavedLines saved_lines(bool all) const;
    void ask_path(bool all);
    QStringList notes() const override;
    void show_wanted();
    std::optional<std::uint32_t> row_of(const Moment& moment) const;
    bool can_show_moment(quint32 line) const;
    void show_on_curves(quint32 line);
    void fill_context_menu(QMenu* menu, quint32 line);

    LiveModel* live_ = nullptr;
    int known_ranks_ = -1;
    std::uint32_t seen_ = 0;  ///< lines of the store
    std::optional<std::uint32_t> wanted_line_;
    std::optional<Moment> wanted_moment_;
    TimeSpan range_;  ///< that is shown
    QComboBox* chooser_;
    QToolButton* follow_;
    QToolButton* fold_;
    QActionGroup* times_;
};

}  // namespace rankscope::gui
