// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <gui/data/run_moment.h>

#include <QObject>
#include <QString>
#include <optional>

namespace rankscope::gui {

/// The part of a run that all panes of Live show: the times from one moment to another, or all.
class RunRange : public QObject {
    Q_OBJECT

public:
    using QObject::QObject;

    const TimeSpan& span() const { return span_; }
    bool is_set() const { return span_ != TimeSpan(); }
    void set(const TimeSpan& span);
    void clear() { set({}); }

signals:
    void changed();

private:
    TimeSpan span_;
};

/// Whole steps, both included.
struct StepSpan {
    double first = 0;
    double last = 0;

    bool operator==(const StepSpan&) const = default;
};

/// The steps that the run reached in these times; empty (first > last): none. Without steps: nothing.
std::optional<StepSpan> steps_in(const LiveData& run, const TimeSpan& span);
/// "steps 100–200", "from step 100"; of a run without steps its times.
QString range_text(const LiveData& run, const TimeSpan& span);

}  // namespace rankscope::gui
