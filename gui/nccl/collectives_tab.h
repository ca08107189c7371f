// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <gui/nccl/collective_table_model.h>
#include <gui/nccl/nccl_tab.h>

#include <QStandardItemModel>
#include <QString>
#include <memory>

class QComboBox;
class QLabel;
class QSortFilterProxyModel;
class QStackedWidget;
class QTableView;

namespace rankscope::gui {

class CollectiveTimeline;
class FittedTable;
class SizePlot;

/// What the collectives take: a timeline of each rank, a table by function and size, latency and bandwidth over the
/// size. Where nothing can be seen it says why, and shows what NCCL's own lines counted.
class CollectivesTab : public NcclTab {
    Q_OBJECT

public:
    explicit CollectivesTab(QWidget* parent = nullptr);

    void set_snapshot(const std::shared_ptr<const ReadingSnapshot>& snapshot) override;
    void set_run(const LiveModel* run) override;
    void set_selected(const std::vector<int>& ranks) override;
    void set_range(const TimeSpan& span, const std::shared_ptr<const CollectiveReport>& report) override;
    bool has_content() const override;

    CollectiveTimeline* timeline() const { return timeline_; }

protected:
    void showEvent(QShowEvent* event) override;
    void changeEvent(QEvent* event) override;

private:
    QWidget* make_pictures();
    QWidget* make_absence();
    void refresh();
    void fill_communicators();
    void fill_calls();
    void color_legend();
    int communicator() const;
    /// Of the range, or of the whole run, with the names of the run's groups.
    std::shared_ptr<const CollectiveReport> report() const;
    QString summary_text(const CollectiveReport& report) const;
    bool has_range() const { return range_ != TimeSpan() && !snapshot_->collectives_of_lines; }

    std::shared_ptr<const ReadingSnapshot> snapshot_;
    TimeSpan range_;
    std::shared_ptr<const CollectiveReport> in_range_;  ///< null: no range, or it is being read
    std::shared_ptr<const CollectiveReport> shown_;     ///< null: nothing is shown
    const LiveModel* run_ = nullptr;
    bool stale_ = false;

    QStackedWidget* stack_;
    QComboBox* communicators_;
    QLabel* summary_;
    QLabel* legend_;
    CollectiveTimeline* timeline_;
    QLabel* no_timeline_;
    CollectiveTableModel* model_;
    QSortFilterProxyModel* proxy_;
    FittedTable* table_;
    SizePlot* sizes_;
    QLabel* why_title_;
    QLabel* why_;
    QLabel* calls_text_;
    QTableView* calls_;
    QStandardItemModel calls_model_;
};

/// Why no operation can be seen; empty: some can.
QString collectives_absence(const ReadingSnapshot& snapshot, const LiveModel* run);
/// "Rank 3 is behind: it has not entered AllReduce 42"; or who enters last, or how much is waiting.
QString collectives_summary(const CollectiveReport& report);

}  // namespace rankscope::gui
