// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <gui/data/run_moment.h>
#include <remote/observe/nccl_activity/collective_report.h>

#include <QPoint>
#include <QRect>
#include <QString>
#include <QWidget>
#include <cstdint>
#include <map>
#include <memory>
#include <vector>

namespace rankscope::gui {

struct ThemeColors;

/// A row for each rank, a bar for each operation in the colour of its function; open ones are hatched and say their
/// age, and a rank that has not entered what others are inside of is marked. What a frame costs depends on its pixels:
/// of more ranks than there is room for, several share a row, and the marked one is seen.
///
/// Wheel and + − zoom the time, with Ctrl the ranks; dragging and arrows move; a double click and 0 show everything.
/// Dragging with Ctrl chooses times.
class CollectiveTimeline : public QWidget {
    Q_OBJECT

public:
    explicit CollectiveTimeline(QWidget* parent = nullptr);

    /// `ranks`: of the run; 0: those of the report alone. `communicator`: index; -1: all.
    void set_report(const std::shared_ptr<const CollectiveReport>& report, int ranks, int communicator);
    /// Shows these times, until fit() or another range; all: what follows again.
    void set_range(const TimeSpan& span);
    /// Their rows are tinted.
    void set_selected(const std::vector<int>& ranks);
    const std::vector<int>& selected() const { return selected_; }
    /// Everything, and what follows.
    void fit();

    bool following() const { return following_; }
    double begin_us() const { return begin_us_; }
    double end_us() const { return end_us_; }
    /// The first rank of the row under a point; -1: none.
    int rank_at(const QPoint& point) const;
    QRect row_of(int rank) const;
    double x_of(double t_us) const;
    /// What the tool tip says there; empty: nothing.
    QString describe(const QPoint& point) const;

    QSize sizeHint() const override { return {600, 220}; }
    QSize minimumSizeHint() const override { return {260, 110}; }

signals:
    void rankChosen(int rank);
    /// The user chose these times.
    void rangeChosen(const rankscope::gui::TimeSpan& span);

protected:
    bool event(QEvent* event) override;
    void paintEvent(QPaintEvent* event) override;
    void wheelEvent(QWheelEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mouseReleaseEvent(QMouseEvent* event) override;
    void mouseDoubleClickEvent(QMouseEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;

private:
    struct Row {
        int first = 0;  ///< index into ranks_
        int count = 0;
        double top = 0;
        double height = 0;
    };

    QRect area() const;
    std::vector<Row> lay_out() const;
    const ReportRank* rank(int index) const;
    bool wanted(std::size_t communicator) const;
    bool is_behind(const ReportRank& rank) const;
    /// A rank of the row that is selected; -1: none.
    int selected_in(const Row& row) const;
    void fit_time();
    bool show_range();
    bool has_operations_in_view() const;
    void zoom_time(double factor, double x);
    void zoom_ranks(double factor, double y);
    void move(double pixels);
    void move_ranks(double rows);
    void paint_axis(QPainter& painter, const ThemeColors& colors) const;
    void paint_row(QPainter& painter, const Row& row, const ThemeColors& colors) const;
    void paint_bars(QPainter& painter, const Row& row, const ThemeColors& colors) const;
    void paint_open(QPainter& painter, const Row& row, const ReportRank& rank,
                    const ThemeColors& colors) const;
    void paint_behind(QPainter& painter, const Row& row, const ReportRank& rank,
                      const ThemeColors& colors) const;
    void paint_share(QPainter& painter, const Row& row, const ThemeColors& colors) const;
    void paint_selection(QPainter& painter, const std::vector<Row>& rows, const ThemeColors& colors) const;
    void paint_labels(QPainter& painter, const std::vector<Row>& rows, const ThemeColors& colors) const;
    double time_of(double x) const;
    void paint_range(QPainter& painter, const ThemeColors& colors) const;
    double open_end(const ReportRank& rank, const RecentOperation& open) const;
    QString operation_text(const ReportRank& rank, const RecentOperation& operation, bool open) const;

    std::shared_ptr<const CollectiveReport> report_;
    std::vector<int> ranks_;                ///< of the rows
    std::map<int, std::size_t> of_report_;  ///< rank → index into the report's ranks
    int communicator_ = -1;
    double begin_us_ = 0;
    double end_us_ = 1;
    bool following_ = true;
    std::vector<int> selected_;  ///< sorted
    double first_row_ = 0;       ///< index into ranks_, of the upper edge
    double shown_rows_ = 0;      ///< 0: all
    QPoint pressed_;
    bool dragging_ = false;
    bool choosing_ = false;  ///< times, with Ctrl
    int chosen_to_ = 0;      ///< x, where they end by now
    TimeSpan range_;
    bool range_waits_ = false;  ///< for the first report
};

/// "open for 2.0 s".
QString open_age_text(double seconds);
/// "AllReduce 42: entered 41"; what a rank that is behind has not entered.
QString behind_text(const CollectiveReport& report, const BehindOf& behind);

}  // namespace rankscope::gui
