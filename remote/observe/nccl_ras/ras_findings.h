// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <base/enum_names.h>
#include <remote/observe/nccl_ras/ras_report.h>

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace rankscope {

/// What is wrong with some ranks of a communicator. Those that explain others come first.
enum class RasFault {
    Dead,             ///< the process is gone, or has not answered for a minute
    NoAnswer,         ///< the process does not answer: stopped, gone, or cut off
    InitError,        ///< NCCL reports an error of its initialization
    AsyncError,       ///< NCCL reports an error since
    OtherCollective,  ///< they launched `collective` where the others launched `expected_collective`
    Behind,           ///< they have launched fewer operations than most others
    Ahead,            ///< they have launched more operations than most others
    NotMember,        ///< they have left the communicator, or never joined it
    Aborted,
    Finalizing,
    Initializing,
};

template <>
struct EnumNames<RasFault> {
    static constexpr auto names = std::to_array<const char*>(
        {"dead", "no-answer", "init-error", "async-error", "other-collective", "behind", "ahead",
         "not-member", "aborted", "finalizing", "initializing"});
};

struct RasFinding {
    RasFault fault = RasFault::NoAnswer;
    std::uint64_t communicator = 0;   ///< its hash; 0: of a process that no communicator names
    int size = 0;                     ///< of the communicator; 0: not known
    int count = 0;                    ///< of ranks at fault, named or not
    std::vector<RasRank> ranks = {};  ///< those that are known, in order; rank -1: a process without a rank
    std::string collective = {};      ///< "AllReduce", …; empty: all together, or none
    std::string expected_collective = {};  ///< OtherCollective
    std::uint64_t launched = 0;            ///< by these ranks, of `collective`
    std::uint64_t expected = 0;            ///< by most others, of `collective`
    NcclError error = NcclError::None;
    /// The report before had it, too. Until then counts may differ only because the job is busy.
    bool standing = false;

    bool operator==(const RasFinding&) const = default;
};

/// What is wrong, causes first. `before`: the findings of an earlier report of the same job.
std::vector<RasFinding> ras_findings(const RasReport& report, const std::vector<RasFinding>& before = {});

}  // namespace rankscope
