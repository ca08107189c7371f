// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <base/enum_names.h>

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace rankscope::inline runs {

/// How ranks of the run differ in their collectives. Those that explain others come first.
enum class CollectiveFault {
    Silent,          ///< the rank's process does not answer NCCL's RAS service
    OtherOperation,  ///< it has called another collective than the others
    OtherSize,       ///< … with another number of elements
    OtherType,       ///< … with another element type
    Error,           ///< NCCL reports an error of the communicator there
    NotEntered,      ///< it has not called the collective that the others wait in
    Alone,           ///< it has called one that the others have not
    Unfinished,      ///< all have called it, and it does not end on these
};

}  // namespace rankscope::inline runs

namespace rankscope {

template <>
struct EnumNames<CollectiveFault> {
    static constexpr auto names =
        std::to_array<const char*>({"silent", "other-operation", "other-size", "other-type", "error",
                                    "not-entered", "alone", "unfinished"});
};

}  // namespace rankscope

namespace rankscope::inline runs {

/// Ranks that have called the same.
struct CollectiveCall {
    std::vector<int> ranks = {};
    std::string call = {};                 ///< "all_reduce of 1000 float32", "AllReduce"
    std::vector<std::string> frames = {};  ///< "train.py:41 in step", innermost first

    bool operator==(const CollectiveCall&) const = default;
};

/// One fault, as one source shows it: RAS, PyTorch's Flight Recorder, or the counters of NCCL's profiler.
struct CollectiveFinding {
    CollectiveFault fault = CollectiveFault::NotEntered;
    const char* source = "";        ///< "NCCL RAS", "Flight Recorder", "NCCL profiler"
    std::string group = {};         ///< "communicator 0xc0ffee", "process group default_pg"
    std::string role = {};          ///< "tp group 2 (ranks 4, 5)"; empty: not known
    std::string collective = {};    ///< the one that does not end; empty: not known
    std::uint64_t sequence = 0;     ///< its number in the group; 0: not known
    std::vector<int> ranks = {};    ///< of the run, at fault; empty: the ranks are two equal halves
    std::vector<int> entered = {};  ///< they have called it, and wait
    std::vector<CollectiveCall> calls = {};
    std::string reason = {};  ///< Silent: "dead", "no-answer"; Error: of NCCL ("remote", …); else empty
    bool standing = false;    ///< the answer before showed it, too: the run does not merely do something else
    std::vector<std::string> evidence = {};

    /// For sentences.
    std::string group_text() const { return role.empty() ? group : role + ", " + group; }
    /// The same fault in a later answer.
    bool is(const CollectiveFinding& other) const {
        return fault == other.fault && group == other.group && collective == other.collective &&
               sequence == other.sequence && ranks == other.ranks && reason == other.reason;
    }
};

}  // namespace rankscope::inline runs
