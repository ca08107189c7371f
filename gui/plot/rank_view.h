// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <gui/background_job.h>
#include <gui/data/panel_values.h>
#include <gui/data/rank_outliers.h>

#include <QObject>
#include <vector>

namespace rankscope::gui {

/// The ranks of one panel, counted for the steps in view. What is new is counted at once; what takes longer is
/// counted by a worker, and until then the picture of before remains.
class RankView : public QObject {
    Q_OBJECT

public:
    RankView(const PanelValues* values, QThreadPool* pool);

    /// The steps in view; `log`: on a logarithmic axis.
    void update(double first, double last, bool log = false);
    /// For pictures that are made once: no worker.
    void set_at_once(bool on) { at_once_ = on; }
    void clear();

    /// As far as it is counted.
    const RankGrid& grid() const { return grid_; }
    /// The buckets in view, in the width that the grid has now.
    GridView shown() const;
    bool counting() const { return job_.running(); }
    /// In view, in the order of steps.
    const std::vector<AggregatePoint>& points() const { return points_; }
    const std::vector<RankOutlier>& outliers() const { return outliers_; }

signals:
    /// A worker has counted what was missing.
    void counted();

private:
    void count_by_worker(const std::vector<std::int64_t>& missing);
    void summarize();

    const PanelValues* values_;
    BackgroundJob job_;
    RankGrid grid_;
    GridView view_;
    GridView asked_;  ///< of the worker
    bool at_once_ = false;
    std::vector<AggregatePoint> points_;
    std::vector<RankOutlier> outliers_;
    std::uint64_t summarized_ = 0;  ///< revision of the grid
    GridView summarized_view_;
};

}  // namespace rankscope::gui
