// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <gui/data/live_data.h>

#include <QString>
#include <cstdint>

namespace rankscope::gui {

/// What this window can do with a run, and what it has asked for.
struct RunControl {
    bool live = false;        ///< carried by this window: can be stopped
    bool stopping = false;    ///< asked to stop, not over yet
    bool force_sent = false;  ///< asked to stop at once
    bool can_pause = false;
    bool pause_wanted = false;  ///< the nodes follow when the request has reached them
    bool can_repeat = false;    ///< its job is known
    bool is_stored = false;     ///< the run store can be read
    bool has_verdict = false;   ///< it failed, and its banner is dismissed
    int notices = 0;            ///< of the nodes
    bool new_notices = false;   ///< which the user has not looked at
    bool notices_open = false;
};

/// In which colour a standing is: the outcome's own, that of a warning, that of an error.
enum class StandingSign { Outcome, Warning, Error };

/// A run at one moment, in a few words, and whether its rates mean anything.
struct RunStanding {
    QString
        text;  ///< "running", "paused", "rank 3 hangs", "stalled for 14 s", "failing: waiting for node2", "done"
    QString tip;  ///< the sentences of the verdicts that hold, a line each; empty: none holds
    StandingSign sign = StandingSign::Outcome;
    bool advancing = false;  ///< steps arrive: rates and remaining times hold
};
RunStanding run_standing(const LiveData& run, const RunControl& control, std::int64_t now_us);

/// What to say about the nodes that the desk does not reach. An empty title: it reaches all.
struct LinkReport {
    QString title;  ///< "node2 does not answer: silent for 12 s"
    QString text;   ///< why, and what to do
};
LinkReport link_report(const RunState& state, std::int64_t now_us);

}  // namespace rankscope::gui
