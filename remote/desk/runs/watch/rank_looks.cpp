// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <remote/desk/runs/watch/rank_looks.h>

#include <algorithm>

namespace rankscope::inline runs {
namespace {

constexpr double kIdleShare = 0.04;        // cores: a heartbeat, a timer
constexpr std::uint64_t kFewBytes = 4096;  // its lines of output

std::string function_of(const RankSnapshot& state) {
    if (state.python_stack.empty()) {
        return {};
    }
    // "train.py:41 in step" → "train.py in step": a loop moves between its lines
    const auto& frame = state.python_stack.front();
    const auto colon = frame.rfind(':');
    const auto in = frame.find(" in ", colon == std::string::npos ? 0 : colon);
    return colon == std::string::npos || in == std::string::npos ? frame
                                                                 : frame.substr(0, colon) + frame.substr(in);
}

// On a node with much to do, one that spins gets less than a core.
bool is_busy(Activity kind) {
    return kind == Activity::Runs || kind == Activity::SpinsOnCpu;
}

bool same_activity(const RankActivity& now, const RankActivity& before) {
    return (now.kind == before.kind || (is_busy(now.kind) && is_busy(before.kind))) &&
           now.file == before.file;
}

// Its main thread has not left the call: what a stack adds to the look is no change.
bool same_place(const RankSnapshot& now, const RankSnapshot& before) {
    return now.state == before.state && now.system_call == before.system_call &&
           now.wait_channel == before.wait_channel && now.blocked_file == before.blocked_file &&
           now.blocked_socket == before.blocked_socket;
}

std::uint64_t bytes_of(const RankSnapshot& state) {
    return state.read_bytes + state.written_bytes;
}

RankSeen first_seen(double now, const std::string& node, const RankSnapshot& state) {
    RankSeen seen;
    seen.node = node;
    seen.state = state;
    seen.activity = activity_of(state);
    seen.since = now;
    seen.io_since = now;
    seen.looks = 1;
    seen.same_stacks = state.python_stack.empty() ? 0 : 1;
    return seen;
}

RankSeen seen_again(double now, const RankSeen& before, RankSnapshot state) {
    const bool has_stack = !state.python_stack.empty();
    const auto first = activity_of(state, &before.state);
    const bool io = bytes_of(state) > bytes_of(before.state) + kFewBytes;
    const bool advances = io || first.cpu_share > kIdleShare;
    if (!has_stack && !advances && same_place(state, before.state)) {
        state.python_stack = before.state.python_stack;  // it has not moved since that was read
        state.python_stack_from = before.state.python_stack_from;
        state.native_stack = before.state.native_stack;
    }
    RankSeen seen = first_seen(now, before.node, state);
    seen.activity = activity_of(state, &before.state);
    seen.advances = advances;
    seen.interval_s = std::max(0.0, state.elapsed_s - before.state.elapsed_s);
    seen.io_since = io ? now : before.io_since;
    if (same_activity(seen.activity, before.activity) || (!advances && same_place(state, before.state))) {
        seen.since = before.since;
        seen.looks = before.looks + 1;
        const bool same =
            !has_stack || before.same_stacks == 0 || function_of(state) == function_of(before.state);
        seen.same_stacks = same ? before.same_stacks + (has_stack ? 1 : 0) : seen.same_stacks;
    }
    return seen;
}

}  // namespace

void RankLooks::add(double now, const std::string& node, const std::vector<RankSnapshot>& ranks) {
    for (const auto& state : ranks) {
        const auto known = ranks_.find(state.rank);
        const bool compare = known != ranks_.end() && known->second.state.pid == state.pid;
        ranks_.insert_or_assign(
            state.rank, compare ? seen_again(now, known->second, state) : first_seen(now, node, state));
    }
}

void RankLooks::begin_rows(double now) {
    for (auto& [rank, seen] : ranks_) {
        seen.since = now;
        seen.io_since = now;
        seen.looks = 1;
        seen.same_stacks = std::min(seen.same_stacks, 1);
    }
}

void RankLooks::remove(const std::string& node) {
    std::erase_if(ranks_, [&](const auto& entry) { return entry.second.node == node; });
}

}  // namespace rankscope::inline runs
