// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <gui/data/step_track.h>

#include <QString>
#include <cstdint>
#include <vector>

namespace rankscope::gui {

class LiveData;

/// What the x axis of the curves counts.
enum class XUnit { Step, Epoch, Elapsed, Clock, Samples };

/// The name for a menu: "Step", "Time since start".
QString x_unit_text(XUnit unit);
/// As it is written into settings and tables: "step", "seconds".
QString x_unit_key(XUnit unit);
XUnit x_unit_of(const QString& key);  ///< Step for what is unknown

/// From steps, by which values are kept, to positions on the axis, and back. Elapsed: s since the first step's run
/// began; Clock: s since 1970; both of a rank, or of the first one to reach a step (rank -1). Samples: of the rank that
/// reported most. A position is what the unit counts, a value; on a logarithmic scale the value's decimal logarithm.
class XScale {
public:
    /// Takes what `run` knows by now; `run` must remain until the next update. A unit that it does not know counts
    /// steps.
    void update(const LiveData& run, XUnit wanted, bool log = false);

    XUnit unit() const { return unit_; }
    bool is_log() const { return log_; }
    /// A clock has no zero to begin at.
    static bool can_be_log(XUnit unit) { return unit != XUnit::Clock; }
    /// Logarithmic, and so wide between these steps that an equal number of steps is not about an equal length.
    bool is_log_over(double first_step, double last_step) const;
    /// The x axis counts time.
    bool is_timed() const { return unit_ == XUnit::Elapsed || unit_ == XUnit::Clock; }
    double of_step(double step, int rank = -1) const;
    double step_at(double x, int rank = -1) const;
    double value_of_step(double step, int rank = -1) const;
    /// The first step that has a position: a logarithmic scale begins above 0.
    double first_step(double first) const;
    /// Of something that happened at this step and time, µs since 1970.
    double of_moment(double step, std::int64_t t_us) const;
    /// The position as text: "step 120", "epoch 1.25", "0:04:10".
    QString text(double x) const;

    /// What this run can be drawn over; Step always.
    static std::vector<XUnit> units(const LiveData& run);

private:
    double position(double value) const;
    double value_at(double position) const;

    XUnit unit_ = XUnit::Step;
    bool log_ = false;
    double steps_per_epoch_ = 1;
    double zero_ = 0;  ///< of Elapsed: the run's start, s since 1970
    StepTrack track_;
    const LiveData* run_ = nullptr;
};

/// "0:04:10", "1:02:03:04" with days.
QString elapsed_text(double seconds);

}  // namespace rankscope::gui
