// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <remote/desk/jobs/config/job.h>

namespace rankscope::inline jobs {

/// Which of the observers that NCCL and PyTorch have themselves a run gets.
struct NcclSources {
    bool ras = false;              ///< NCCL's RAS service
    bool flight_recorder = false;  ///< PyTorch's

    bool operator==(const NcclSources&) const = default;
};

/// A program of the user's may use both; what trains on CPUs, or over Gloo, uses neither.
NcclSources nccl_sources_of(const Job& job);

}  // namespace rankscope::inline jobs
