// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <cstdint>
#include <string>

namespace rankscope::inline runs {

enum class StopKind {
    Graceful,  ///< SIGTERM, grace, SIGKILL
    Force      ///< SIGKILL at once
};

/// That a run is to be stopped: sent to its nodes, and kept in the run store for those that do not answer.
struct StopOrder {
    std::string run_id;
    std::string node;      ///< in the store: who has not confirmed it; else empty: all
    std::string launcher;  ///< as the job file says it
    StopKind kind = StopKind::Graceful;
    bool by_user = false;
    std::string cause;          ///< for users
    std::int64_t asked_us = 0;  ///< µs since 1970
};

}  // namespace rankscope::inline runs
