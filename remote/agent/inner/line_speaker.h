// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <sys/types.h>

#include <string_view>

namespace rankscope::agent {

/// Whose a line is, as it says itself at its beginning.
struct LineSpeaker {
    int rank = -1;
    int local_rank = -1;
    pid_t pid = 0;  ///< on its own node

    bool operator==(const LineSpeaker&) const = default;
};

/// "[rank1]: …", "[rank: 1] …", "rank 1: …", "[INFO] [Rank 1] …"; "[default1]: …" of torchrun names the local rank; the lines of
/// NCCL begin with host, process and thread. A rank in the middle of a sentence says nothing.
LineSpeaker speaker_of(std::string_view line);

}  // namespace rankscope::agent
