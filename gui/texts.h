// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <base/failure.h>
#include <remote/desk/runs/run/run_state.h>

#include <QString>
#include <cstdint>
#include <vector>

/// The words of the window for what the library below names in machine terms. Every text is translated here,
/// once.
namespace rankscope::gui {

QString phase_text(RankPhase phase);
QString outcome_text(Outcome outcome);
QString stage_text(StageName name);
/// "no answer for 12 s", "connection refused. What runs there may continue. Trying again in 8 s": what happened to
/// the link to a node; empty for its regular end.
QString link_text(const LinkEvent& link, std::int64_t now_us);
/// "linked", "silent for 12 s", "retry in 8 s", "presumed lost, silent for 40 s", "ended".
QString link_state_text(const NodeLink& link, std::int64_t now_us);

/// "15 ms", "0.4 s", "12 s", "3 min 05 s", "2 h 10 min".
QString duration_text(double seconds);
/// In whole seconds, for what counts up or down: "8 s", "3 min 05 s".
QString whole_seconds_text(double seconds);
QString duration_us_text(std::int64_t begin_us, std::int64_t end_us);
QString bytes_text(std::uint64_t bytes);
/// "1.2 ms", "-0.3 s": for round trips and clock offsets.
QString short_time_text(double seconds, bool with_sign = false);
QString date_time_text(std::int64_t t_us);
/// A name of a node as tables show it: of a long one the beginning and the end, which is where they differ.
QString short_name(const std::string& name);
/// "0–4, 6, 8–31".
QString ranks_text(const std::vector<int>& ranks);
QString percent_text(double share, int decimals = 1);
/// Fixed digits; "NaN", "∞" and "-∞" where it is not finite.
QString number_text(double value, int decimals);
/// Thousands separated by a thin space.
QString count_text(std::int64_t count);

/// "SIGKILL"; "signal 40" where it has no name.
QString signal_name(int signal);
/// "exit code 1", "signal 9 (SIGKILL)".
QString exit_text(int code, int signal);
/// "Rank 1 on node2 was killed by signal 9 (SIGKILL)".
QString culprit_text(const Culprit& culprit);

/// What a variable means, or its default, of resources/nccl_variables.yaml.
QString variable_text(const std::string& text);
/// What a line of NCCL means, of resources/nccl_lines.yaml.
QString nccl_line_text(const std::string& text);

/// A long text as a tool tip whose lines wrap: Qt wraps rich text only.
QString wrapped_tip(const QString& text);

/// What, where and remedy of a failure in one block, for selecting and copying.
QString failure_text(const Failure& failure);
QString failures_text(const std::vector<Failure>& failures);
/// "file:3: what": one line.
QString failure_line(const Failure& failure);

}  // namespace rankscope::gui
