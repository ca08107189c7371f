// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <remote/agent/nvml/nvml_lines.h>

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace rankscope::agent {

/// An error of NVIDIA's driver (Xid) is reported twice, by the kernel's log and by NVML, in either order. The kernel's line
/// says more: NVML's report waits a moment for it. Times: seconds of one clock.
class XidReports {
public:
    /// The kernel's line. false: NVML's report of the same error was passed on before.
    bool add_of_kernel(const std::string& pci, std::uint32_t xid, double now);
    /// `readable`: the kernel's log is read here as well.
    void add_of_nvml(NvmlError error, bool readable, double now);
    /// NVML's reports that no line of the kernel came for.
    std::vector<NvmlError> take_due(double now);

private:
    using Place = std::pair<std::string, std::uint32_t>;
    struct Waiting {
        NvmlError error;
        double until = 0;
    };
    struct Seen {
        double at = 0;
        bool of_nvml = false;
    };
    const Seen* recent(const Place& place, double now) const;

    std::vector<Waiting> waiting_;
    std::map<Place, Seen> seen_;
};

}  // namespace rankscope::agent
