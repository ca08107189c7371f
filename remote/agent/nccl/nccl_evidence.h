// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <sys/types.h>

#include <string>
#include <string_view>
#include <vector>

namespace rankscope::agent {

/// What the maps and descriptors of a rank's processes show of NCCL.
struct NcclEvidence {
    bool plugin = false;       ///< librankscope-nccl.so is loaded
    bool torch_cuda = false;   ///< PyTorch for CUDA is: it may have NCCL linked in
    bool gpu = false;          ///< a GPU is open
    std::string library = {};  ///< path of libnccl; empty: none is loaded
};

/// Of these processes together. Never fails: what cannot be read shows nothing.
NcclEvidence nccl_evidence(const std::vector<pid_t>& processes);
/// Adds what the text of /proc/PID/maps shows.
void read_maps(std::string_view maps, NcclEvidence& evidence);

/// The release of a libnccl by the files beside it: "libnccl.so.2.21.5", or Python's package; 22105 is 2.21.5, 0: not known.
int nccl_version_of(const std::string& library);

/// Why a rank without a ring file is not observed, in the words of NcclEvent::unavailable; empty: nothing is known against
/// it yet.
struct Unobserved {
    double age_s = 0;         ///< since its start
    int world_size = 1;       ///< a rank alone makes no communicator
    bool working = false;     ///< it has reported progress
    bool explicitly = false;  ///< nccl_profiler: light or full
    bool ring_unreadable = false;
};
std::string why_unobserved(const NcclEvidence& evidence, int nccl_version, const Unobserved& rank);

}  // namespace rankscope::agent
