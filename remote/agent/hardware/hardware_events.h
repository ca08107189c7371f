// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <base/failure_id.h>
#include <base/fd.h>
#include <remote/agent/hardware/xid_reports.h>
#include <remote/agent/node/kernel_log.h>

#include <poll.h>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace rankscope::agent {

/// What happens to the hardware of this node from now on: errors of NVIDIA's driver (Xid), from the kernel log where it
/// may be read (root, or kernel.dmesg_restrict=0) and from NVML, links that drivers and bonds report there as lost, and
/// interfaces that lose their link.
class HardwareEvents {
public:
    struct Fault {
        FailureId id;
        std::vector<std::string> args;  ///< a GPU's PCI address, the Xid and its text; or an interface
    };

    /// `kernel_log`: see KernelLogTail.
    explicit HardwareEvents(const std::filesystem::path& kernel_log = kKernelLog);

    /// What NVML has reported; take() returns each error once, whoever reported it.
    void add(const std::vector<NvmlError>& errors);
    void add_to(std::vector<pollfd>& fds) const;
    /// What has come since the last call; the same fault once, and not without end.
    std::vector<Fault> take();

private:
    void take_kernel_log(std::vector<Fault>& faults);
    void take_record(std::string_view record, std::vector<Fault>& faults);
    void take_links(std::vector<Fault>& faults);
    void add(const std::string& key, Fault fault, std::vector<Fault>& faults);
    void add_lost_link(const std::string& interface, std::vector<Fault>& faults);

    KernelLogTail log_;
    UniqueFd links_;
    std::map<std::uint32_t, bool> running_;  ///< interfaces: whether they had a link
    std::set<std::string> known_;
    XidReports xids_;
};

/// The failure that an Xid of NVIDIA's driver is a sign of; nothing: it is of a program, or says nothing.
std::optional<FailureId> failure_of_xid(std::uint32_t xid);

/// The state of a link in the body of RTM_NEWLINK.
struct InterfaceLink {
    std::uint32_t index = 0;
    std::string name = {};
    bool running = false;
    bool matters = false;  ///< not of containers and virtual machines, which come and go
};
std::optional<InterfaceLink> read_link(std::string_view body);

}  // namespace rankscope::agent
