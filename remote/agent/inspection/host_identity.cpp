// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <base/files.h>
#include <base/sha256.h>
#include <base/text.h>
#include <remote/agent/inspection/host_identity.h>
#include <remote/agent/node/process_tree.h>

#include <sys/stat.h>
#include <sys/timex.h>
#include <unistd.h>

#include <cstddef>
#include <span>
#include <string>

namespace rankscope::agent {
namespace {

constexpr std::size_t kIdLength = 32;

// The namespace counts: two nodes may be two namespaces of one machine.
std::string machine_id() {
    std::string text;
    for (const char* file :
         {"/etc/machine-id", "/var/lib/dbus/machine-id", "/proc/sys/kernel/random/boot_id"}) {
        text += read_file(file).value_or(std::string()) + '\n';
    }
    struct stat network {};
    if (::stat("/proc/self/ns/net", &network) == 0) {
        text += std::to_string(network.st_ino);
    }
    return sha256_hex(std::as_bytes(std::span(text))).substr(0, kIdLength);
}

}  // namespace

std::optional<std::pair<std::uint32_t, std::uint32_t>> read_port_range(std::string_view text) {
    text = text.substr(0, text.find('\n'));
    const auto blank = text.find_first_of(" \t");
    const auto second = text.find_first_not_of(" \t", blank);
    if (blank == text.npos || second == text.npos) {
        return std::nullopt;
    }
    const auto first = parse_number<std::uint16_t>(text.substr(0, blank));
    const auto last = parse_number<std::uint16_t>(text.substr(second));
    if (!first || !last || *first > *last) {
        return std::nullopt;
    }
    return std::pair<std::uint32_t, std::uint32_t>{*first, *last};
}

wire::HostInspection inspect_identity() {
    wire::HostInspection found;
    found.set_user(owner_of(::getpid()));
    found.set_machine_id(machine_id());
    timex clock{};
    const int state = ::adjtimex(&clock);
    if (state < 0) {
        add_unseen(found, "clock_synchronized", "the kernel does not report the clock's state");
    }
    found.set_clock_synchronized(state >= 0 && state != TIME_ERROR && (clock.status & STA_UNSYNC) == 0);
    const auto range =
        read_port_range(read_file("/proc/sys/net/ipv4/ip_local_port_range").value_or(std::string()));
    if (range) {
        found.set_ephemeral_first(range->first);
        found.set_ephemeral_last(range->second);
    } else {
        add_unseen(found, "ephemeral_first", "/proc/sys/net/ipv4/ip_local_port_range cannot be read");
    }
    return found;
}

}  // namespace rankscope::agent
