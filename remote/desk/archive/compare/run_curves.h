// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <remote/desk/runs/run/metric_names.h>
#include <remote/wire/event.h>

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

namespace rankscope::inline archive {

/// A metric of a run as a whole: at a step the mean over the ranks that report it there (of a rate the sum).
struct CurvePoint {
    double step = 0;
    double epoch = std::numeric_limits<double>::quiet_NaN();  ///< NaN: not reported
    double t_s = 0;                                           ///< since the start of the run
    double value = 0;                                         ///< always finite
};

/// What one curve comes to. All over CurvePoints; NaN where there is none.
struct MetricStats {
    double last = std::numeric_limits<double>::quiet_NaN();
    double min = std::numeric_limits<double>::quiet_NaN();
    double max = std::numeric_limits<double>::quiet_NaN();
    double mean = std::numeric_limits<double>::quiet_NaN();
    double last_step = -1;
    double min_step = -1;
    double max_step = -1;
    std::uint64_t count = 0;       ///< finite values that ranks reported
    std::uint64_t not_finite = 0;  ///< NaN and infinite ones

    /// Min where less is better, max where more is; NaN where the name does not say.
    double best(const std::string& metric) const;
    double best_step(const std::string& metric) const;
};

/// One metric, in bounded memory: beyond kMostPoints steps, neighbouring ones are averaged.
class MetricCurve {
public:
    static constexpr std::size_t kMostPoints = 4096;

    /// `step` >= 0. A rank that returns to an earlier step (it was restarted) replaces what came after.
    void add(std::int64_t step, double epoch, double t_s, int rank, double value);
    /// What the rank has given behind the step is void.
    void void_after(std::int64_t step, int rank);
    std::vector<CurvePoint> points(bool rate) const;
    MetricStats stats(bool rate) const;
    std::size_t rank_count() const;

private:
    struct Bin {
        std::int64_t place = 0;  ///< step / stride_
        double steps = 0;        ///< sums over `count` values
        double epochs = 0;
        double seconds = 0;
        double values = 0;
        std::uint64_t count = 0;
        std::uint64_t epoch_count = 0;
    };
    static void merge(Bin& into, const Bin& from);
    Bin& bin_of(std::int64_t step);
    void coarsen();
    double scale(bool rate) const;

    std::vector<Bin> bins_;  ///< by place
    std::int64_t stride_ = 1;
    std::vector<std::int64_t> last_steps_;  ///< of each rank; -1: none yet
    std::int64_t last_step_ = -1;           ///< and the values there, which no bin averages away
    double last_sum_ = 0;
    std::uint64_t last_count_ = 0;
    std::uint64_t not_finite_ = 0;
};

/// All metrics of a run, from its metric events in the order of their arrival. Values that belong to no step stand
/// at the last one that their rank has reported.
class RunCurves {
public:
    explicit RunCurves(std::int64_t started_us) : started_us_(started_us) {}

    void add(const Event& event);
    const MetricNames& names() const { return names_; }
    const MetricCurve& curve(MetricId id) const { return curves_[id.value()]; }
    /// Nothing where the run does not report it.
    const MetricCurve* find(const std::string& name) const;
    double last_step() const { return static_cast<double>(last_step_); }  ///< -1: none

private:
    std::int64_t started_us_;
    MetricNames names_;
    std::vector<MetricCurve> curves_;  ///< by MetricId
    std::vector<std::int64_t> rank_steps_;
    std::int64_t last_step_ = -1;
};

}  // namespace rankscope::inline archive
