// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <base/clock.h>
#include <remote/agent/hardware/hardware_events.h>
#include <remote/agent/node/netlink.h>

#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <net/if.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <utility>

namespace rankscope::agent {
namespace {

constexpr std::size_t kMostFaults = 32;  // of a run

// Of an error. The text has addresses and processes: each time another one, of the same fault.
std::string key_of(const std::string& pci, std::uint32_t xid) {
    return kernel_pci(pci) + ' ' + std::to_string(xid);
}

// Those of containers and virtual machines come and go.
bool is_of_guest(std::string_view name) {
    static constexpr std::array<std::string_view, 12> kOfGuests{
        "veth", "docker", "br-", "cni", "flannel", "cali", "virbr", "vnet", "tap", "lxc", "podman", "tun"};
    return std::any_of(kOfGuests.begin(), kOfGuests.end(),
                       [&](std::string_view prefix) { return name.starts_with(prefix); });
}

}  // namespace

std::optional<FailureId> failure_of_xid(std::uint32_t xid) {
    switch (xid) {
        case 31:
            return FailureId("gpu-mmu-fault");
        case 48:
        case 63:
        case 64:
        case 92:
        case 94:
        case 95:
            return FailureId("gpu-ecc");
        case 74:
        case 145:
        case 149:
            return FailureId("nvlink-error");
        case 79:
        case 119:
        case 154:
            return FailureId("gpu-fell-off-bus");
        default:
            return std::nullopt;
    }
}

std::optional<InterfaceLink> read_link(std::string_view body) {
    const auto info = read_as<ifinfomsg>(body);
    if (!info || info->ifi_index <= 0) {
        return std::nullopt;
    }
    InterfaceLink link;
    link.index = static_cast<std::uint32_t>(info->ifi_index);
    link.running = (info->ifi_flags & IFF_UP) != 0 && (info->ifi_flags & IFF_RUNNING) != 0;
    constexpr std::size_t kHeader = NLMSG_ALIGN(sizeof(ifinfomsg));
    for_each_attribute(body.substr(std::min(body.size(), kHeader)),
                       [&](std::uint16_t type, std::string_view value) {
                           if (type == IFLA_IFNAME) {
                               link.name = std::string(value.substr(0, value.find('\0')));
                           }
                       });
    link.matters = !link.name.empty() && (info->ifi_flags & IFF_LOOPBACK) == 0 && !is_of_guest(link.name);
    return link;
}

HardwareEvents::HardwareEvents(const std::filesystem::path& kernel_log)
    : log_(kernel_log), links_(::socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC | SOCK_NONBLOCK, NETLINK_ROUTE)) {
    sockaddr_nl address{};
    address.nl_family = AF_NETLINK;
    address.nl_groups = RTMGRP_LINK;
    if (links_ && ::bind(links_.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) {
        links_.reset();
    }
    const ifinfomsg all{};
    for (const auto& body : ask_netlink(NETLINK_ROUTE, RTM_GETLINK, NLM_F_DUMP, bytes_of(all)).messages) {
        if (const auto link = read_link(body)) {
            running_[link->index] = link->running;
        }
    }
}

void HardwareEvents::add_to(std::vector<pollfd>& fds) const {
    for (const int fd : {log_.fd(), links_ ? links_.get() : -1}) {
        if (fd >= 0) {
            fds.push_back({fd, POLLIN, 0});
        }
    }
}

void HardwareEvents::add(const std::string& key, Fault fault, std::vector<Fault>& faults) {
    if (known_.size() < kMostFaults && known_.insert(fault.id.str() + '\n' + key).second) {
        faults.push_back(std::move(fault));
    }
}

void HardwareEvents::add_lost_link(const std::string& interface, std::vector<Fault>& faults) {
    add(interface, {FailureId("link-down"), {interface}}, faults);
}

void HardwareEvents::take_record(std::string_view record, std::vector<Fault>& faults) {
    wire::GpuError error;
    if (read_xid(record, error) || read_lost_gpu(record, error)) {
        const auto id = failure_of_xid(error.xid());
        if (id && xids_.add_of_kernel(error.pci(), error.xid(), monotonic_s())) {
            add(key_of(error.pci(), error.xid()),
                {*id, {error.pci(), std::to_string(error.xid()), error.text()}}, faults);
        }
    } else if (const auto interface = read_lost_link(record); !interface.empty() && !is_of_guest(interface)) {
        add_lost_link(interface, faults);
    }
}

void HardwareEvents::take_kernel_log(std::vector<Fault>& faults) {
    log_.read([&](std::string_view record) { take_record(record, faults); });
}

void HardwareEvents::add(const std::vector<NvmlError>& errors) {
    for (const auto& error : errors) {
        if (failure_of_xid(error.xid)) {
            xids_.add_of_nvml(error, log_.fd() >= 0, monotonic_s());
        }
    }
}

void HardwareEvents::take_links(std::vector<Fault>& faults) {
    std::array<char, 16384> datagram;
    while (links_) {
        const auto got = ::recv(links_.get(), datagram.data(), datagram.size(), 0);
        if (got < 0 && (errno == EINTR || errno == ENOBUFS)) {
            continue;
        }
        if (got <= 0) {
            return;
        }
        std::string_view rest(datagram.data(), static_cast<std::size_t>(got));
        while (const auto header = read_as<nlmsghdr>(rest)) {
            const std::size_t length = header->nlmsg_len;
            if (length < sizeof(nlmsghdr) || length > rest.size()) {
                break;
            }
            const auto link = header->nlmsg_type == RTM_NEWLINK
                                  ? read_link(rest.substr(sizeof(nlmsghdr), length - sizeof(nlmsghdr)))
                                  : std::nullopt;
            if (link) {
                bool& running = running_[link->index];
                if (running && !link->running && link->matters) {
                    add_lost_link(link->name, faults);
                } else if (!running && link->running) {
                    known_.erase("link-down\n" + link->name);  // the next time it is another fault
                }
                running = link->running;
            }
            rest.remove_prefix(std::min(rest.size(), static_cast<std::size_t>(NLMSG_ALIGN(length))));
        }
    }
}

std::vector<HardwareEvents::Fault> HardwareEvents::take() {
    std::vector<Fault> faults;
    take_kernel_log(faults);
    for (const auto& error : xids_.take_due(monotonic_s())) {
        if (const auto id = failure_of_xid(error.xid)) {
            add(key_of(error.pci, error.xid),
                {*id,
                 {error.pci, std::to_string(error.xid),
                  error.lost ? "NVML: GPU is lost" : "reported by NVML"}},
                faults);
        }
    }
    take_links(faults);
    return faults;
}

}  // namespace rankscope::agent
