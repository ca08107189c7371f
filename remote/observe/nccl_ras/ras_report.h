// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <base/enum_names.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

/// What NCCL's RAS network (2.24 and later) answers, in its text form and its JSON form (2.28.7 and later).
namespace rankscope {

/// One rank of a communicator, from the last word of its process.
enum class RasRankState {
    Unknown,
    Running,
    Initializing,
    Finalizing,
    Aborted,
    NotMember,  ///< its process answers and does not know this communicator (any more)
    NoAnswer,   ///< its process did not answer this question
    Dead,       ///< its process has not answered for so long that RAS has dropped it
};

template <>
struct EnumNames<RasRankState> {
    static constexpr auto names = std::to_array<const char*>(
        {"unknown", "running", "initializing", "finalizing", "aborted", "not-member", "no-answer", "dead"});
};

/// ncclResult_t, as far as it is an error.
enum class NcclError { None, Cuda, System, Internal, InvalidArgument, InvalidUsage, Remote, Other };

template <>
struct EnumNames<NcclError> {
    static constexpr auto names = std::to_array<const char*>(
        {"none", "cuda", "system", "internal", "invalid-argument", "invalid-usage", "remote", "other"});
};

/// How many operations of one function a rank has launched.
struct RasCount {
    std::string collective = {};  ///< "AllReduce", …; empty: all together (before NCCL 2.26)
    std::uint64_t launched = 0;

    bool operator==(const RasCount&) const = default;
};

struct RasRank {
    int rank = -1;          ///< in its communicator
    std::string host = {};  ///< an IP address; empty: not known
    std::int64_t pid = 0;   ///< 0: not known
    int cuda_device = -1;   ///< -1: not known
    int nvml_device = -1;
    RasRankState state = RasRankState::Unknown;
    NcclError init_error = NcclError::None;
    NcclError async_error = NcclError::None;
    std::vector<RasCount> counts = {};  ///< text: only those in which ranks differ

    bool operator==(const RasRank&) const = default;
};

/// Ranks of a communicator that have launched the same number; the text form names few of them.
struct RasCountGroup {
    RasCount count = {};
    int ranks = 0;

    bool operator==(const RasCountGroup&) const = default;
};

struct RasCommunicator {
    std::uint64_t hash = 0;
    std::string secondary_hash = {};         ///< JSON alone
    std::string label = {};                  ///< text alone: "0-0", group and place in it
    int size = 0;                            ///< ranks; 0: not known
    int missing = 0;                         ///< ranks without data
    std::vector<RasRank> ranks = {};         ///< JSON: all; text: those that it names
    std::vector<RasCountGroup> groups = {};  ///< text alone: of the functions in which ranks differ

    bool operator==(const RasCommunicator&) const = default;
};

/// A row of the text form's table: communicators of the same size and state.
struct RasGroup {
    int communicators = 0;
    int nodes = 0;  ///< per communicator
    int ranks = 0;  ///< per communicator
    RasRankState state = RasRankState::Unknown;
    bool mismatch = false;
    bool error = false;
    bool incomplete = false;

    bool operator==(const RasGroup&) const = default;
};

struct RasProcess {
    std::int64_t pid = 0;
    std::string host = {};
    std::string gpus = {};  ///< "0", "0,1 (NVML 4,5)"

    bool operator==(const RasProcess&) const = default;
};

struct RasReport {
    bool json = false;
    bool complete = false;  ///< the answer was not cut off
    bool damaged = false;   ///< rows that cannot be true were dropped, see ras_text_is_sound()
    bool repaired = false;  ///< JSON of 2.28.7 to 2.28.9, which lacks commas where a rank is missing
    std::string nccl_version = {};
    int cuda_runtime = -1;  ///< 12090; -1: none
    int cuda_driver = -1;
    std::string time = {};  ///< of the answering node, "2026-11-22 20:35:24"; JSON alone
    int nodes = 0;          ///< text alone, as the next two
    int processes = 0;
    int gpus = 0;
    std::vector<RasGroup> groups = {};                ///< text alone
    std::vector<RasCommunicator> communicators = {};  ///< text: only those with a fault
    int missing_processes = 0;                        ///< text alone: did not answer
    int dead_processes = 0;                           ///< text alone
    std::vector<RasProcess> missing = {};             ///< those that the text names
    std::vector<RasProcess> dead = {};
    int timeouts = 0;  ///< while the data was collected
    double collection_s = 0;

    bool operator==(const RasReport&) const = default;
};

inline constexpr std::size_t kMaxRasAnswer = std::size_t{64} << 20U;  ///< bytes; what is beyond is not read
inline constexpr std::size_t kMostRasRanks = 500000;                  ///< of all communicators together

/// Whether a process of this version ("2.27.5", "2.28.9+cuda12.9") writes the text form without fault. The others (2.26
/// to 2.28.9) read and write beyond their data where a rank is missing and there are several communicators: the text is
/// wrong then, and the process that answers may be harmed.
bool ras_text_is_sound(std::string_view nccl_version);

/// Reads either form, as far as it goes: an answer may be cut off anywhere. Nothing: it is no answer of RAS.
std::optional<RasReport> read_ras_report(std::string_view answer);

}  // namespace rankscope
