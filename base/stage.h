// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <base/enum_names.h>

#include <array>
#include <cstdint>

namespace rankscope {

/// A part of a run, in the order in which they usually come (Preflight apart). Ranks report some of them (base/metrics_line.h),
/// supervisors and the desk the others. frames.proto numbers them alike.
enum class StageName : std::uint8_t {
    Note,  ///< none: a sentence for users
    Queue,
    Connect,
    Push,
    Start,
    Link,  ///< the supervisors' connections to each other
    Rendezvous,
    Data,
    Train,
    FirstStep,
    Validate,
    Checkpoint,
    Pause,
    Continue,
    Restart,
    Stop,
    Done,
    Preflight,  ///< last, as the frames number it: between Connect and Push
};

enum class StageStatus : std::uint8_t { Begin, Progress, Done, Failed };

template <>
struct EnumNames<StageName> {
    static constexpr std::array names{"note",     "queue",      "connect",  "push",     "start",
                                      "link",     "rendezvous", "data",     "train",    "first-step",
                                      "validate", "checkpoint", "pause",    "continue", "restart",
                                      "stop",     "done",       "preflight"};
};

template <>
struct EnumNames<StageStatus> {
    static constexpr std::array names{"begin", "progress", "done", "failed"};
};

}  // namespace rankscope
