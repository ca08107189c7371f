// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <base/enum_names.h>
#include <remote/logs/facts/comm_map.h>

#include <array>
#include <cstddef>
#include <limits>
#include <string>
#include <vector>

namespace rankscope::logs {

/// Where NCCL fell back to a slower path than the machine has.
enum class TransportFall {
    SocketDespiteIb,  ///< TCP between machines, although InfiniBand devices are there
    ShmDespiteP2p,    ///< through the host's memory, although GPUs of this machine reach each other directly
    FewNics,          ///< fewer network devices than the machine has, and than its ranks can use
    NoGpuDirect,      ///< InfiniBand without GPUDirect RDMA
};

struct TransportFinding {
    static constexpr std::size_t kNoSetting = std::numeric_limits<std::size_t>::max();

    TransportFall fall = TransportFall::SocketDespiteIb;
    std::vector<std::size_t> hosts;     ///< it concerns; indexes into RunFacts::hosts, sorted
    std::vector<int> ranks;             ///< sorted
    std::size_t connections = 0;        ///< channels of links that are slower
    std::vector<std::string> unused;    ///< devices that are there and do not take part, of the first host
    int devices_used = 0, devices = 0;  ///< FewNics: of the host that uses the smallest part
    std::size_t setting = kNoSetting;   ///< index into RunFacts::settings: the variable that says so
    LinePlace place;                    ///< of the first line that shows it
};

/// In the order of TransportFall, at most one of each kind.
std::vector<TransportFinding> transport_findings(const RunFacts& facts, const CommMap& map);

}  // namespace rankscope::logs

namespace rankscope {

template <>
struct EnumNames<logs::TransportFall> {
    static constexpr auto names =
        std::to_array<const char*>({"socket-despite-ib", "shm-despite-p2p", "few-nics", "no-gpu-direct"});
};

}  // namespace rankscope
