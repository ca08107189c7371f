// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <remote/wire/event.h>

#include <QString>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>

namespace rankscope::gui {

/// Something that happened to a run, its nodes or its ranks, as a list shows it.
struct RunEvent {
    enum class Kind { Stage, Notice, Verdict, Exit, Checkpoint, Restart, Pause, Link, End };
    static constexpr int kKinds = int(Kind::End) + 1;

    std::int64_t t_us = 0;  ///< since 1970
    std::string node = {};  ///< empty: the run's
    int rank = -1;          ///< -1: not one rank's
    Kind kind = Kind::Stage;
    bool is_fault = false;  ///< something failed
    QString text = {};
    std::uint64_t line = 0;  ///< number of its line in the log; 0: it has none
};

/// "Verdict", "Checkpoint".
QString run_event_kind_text(RunEvent::Kind kind);
/// "rank 3 on node2", "node2", "run".
QString run_event_place_text(const RunEvent& event);

/// What happened in a run, folded from its events in their order: no metrics, no output, no measurements. What each rank
/// goes through at the start is left out, the start-up pane shows it. At most kMost are kept; the oldest go first.
class RunEvents {
public:
    static constexpr std::size_t kMost = 5000;

    /// `line`: where the log has it; 0: nowhere.
    void apply(const Event& event, std::uint64_t line);
    /// Oldest first.
    const std::deque<RunEvent>& all() const { return events_; }
    std::uint64_t dropped() const { return dropped_; }

private:
    std::deque<RunEvent> events_;
    std::uint64_t dropped_ = 0;
};

}  // namespace rankscope::gui
