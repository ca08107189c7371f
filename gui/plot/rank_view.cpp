// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <gui/plot/rank_view.h>

#include <optional>
#include <utility>

namespace rankscope::gui {

namespace {

constexpr int kBuckets = 300;               ///< across the picture: as many as an eye can use
constexpr std::size_t kAtOnce = 16 * 1024;  ///< cells: a few milliseconds

}  // namespace

RankView::RankView(const PanelValues* values, QThreadPool* pool) : values_(values), job_(this, pool) {}

void RankView::update(double first, double last, bool log) {
    view_ = RankGrid::view(*values_->ranks, values_->metric, first, last, kBuckets, log);
    const std::vector<std::int64_t> missing = grid_.missing(*values_->ranks, values_->metric, view_);
    if (!missing.empty()) {
        if (at_once_ || missing.size() * values_->ranks->size() <= kAtOnce) {
            job_.cancel();
            grid_.update(*values_->ranks, values_->metric, view_);
        } else {
            count_by_worker(missing);
        }
    }
    summarize();
}

void RankView::count_by_worker(const std::vector<std::int64_t>& missing) {
    const bool asked = job_.running() && asked_.buckets == view_.buckets && asked_.begin <= missing.front();
    if (asked) {
        return;  // what is new since then is little
    }
    asked_ = view_;
    const auto* ranks = values_->ranks;
    const MetricId metric = values_->metric;
    const std::shared_ptr<DataGate> gate = values_->gate;
    const std::uint64_t generation = gate->generation();
    const StepBuckets width = view_.buckets;
    job_.start(
        [=](const JobHandle& job) {
            return RankGrid::count(*ranks, metric, width, missing, [&](auto slice) {
                return !job.cancelled() && gate->read(generation, [&] {
                    if (!job.cancelled()) {
                        slice();
                    }
                }) && !job.cancelled();
            });
        },
        [this](std::optional<GridCount> count) {
            if (count) {
                grid_.take(std::move(*count), view_);
            }
            emit counted();
        });
}

GridView RankView::shown() const {
    const auto& width = grid_.width();
    if (!width || *width == view_.buckets || view_.empty()) {
        return view_;
    }
    return {*width, width->bucket_of(double(view_.first_step(view_.begin))),
            width->bucket_of(double(view_.first_step(view_.end) - 1)) + 1};
}

void RankView::summarize() {
    const GridView view = shown();
    if (summarized_ == grid_.revision() && summarized_view_ == view) {
        return;
    }
    summarized_ = grid_.revision();
    summarized_view_ = view;
    points_.clear();
    const auto& columns = grid_.columns();
    for (auto at = columns.lower_bound(view.begin); at != columns.end() && at->first < view.end; ++at) {
        if (at->second.point.ranks > 0) {
            points_.push_back(at->second.point);
        }
    }
    outliers_ = find_outliers(grid_, view);
}

void RankView::clear() {
    job_.cancel();
    grid_.clear();
}

}  // namespace rankscope::gui
