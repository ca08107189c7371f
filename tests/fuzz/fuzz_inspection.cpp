// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

// What the kernel and the programs of a node print for its inspection.

#include "target.h"

#include <base/utf8.h>
#include <remote/agent/inspection/firewall_text.h>
#include <remote/agent/inspection/gpu_states.h>
#include <remote/agent/inspection/host_identity.h>
#include <remote/agent/inspection/infiniband.h>
#include <remote/agent/inspection/limits.h>
#include <remote/agent/inspection/names.h>
#include <remote/agent/inspection/path_states.h>
#include <remote/agent/inspection/programs.h>
#include <remote/agent/inspection/routes.h>
#include <remote/agent/inspection/versions.h>
#include <remote/agent/node/kernel_log.h>
#include <remote/agent/node/nccl_conf.h>
#include <remote/agent/probes/interfaces.h>

#include <set>
#include <string>

namespace {

using namespace rankscope;

void require_text(const std::string& text) {
    fuzz::require(as_utf8(text) == text, "a field of a message is UTF-8");
}

void read_names(std::string_view text) {
    for (const auto& addresses : {agent::read_getent(text), agent::read_hosts(text, "node")}) {
        const std::set<std::string> once(addresses.begin(), addresses.end());
        fuzz::require(once.size() == addresses.size(), "an address comes once");
        for (const auto& address : addresses) {
            require_text(address);
        }
    }
}

void read_settings(std::string_view text) {
    for (const auto& [name, value] : agent::read_nccl_conf(text)) {
        require_text(name);
        require_text(value);
        fuzz::require(name.starts_with("NCCL_"), "only settings of NCCL");
    }
}

void read_gpu_texts(std::string_view text) {
    auto gpus = agent::read_gpus(text, agent::gpu_fields());
    for (const auto& gpu : gpus) {
        require_text(gpu.name());
        require_text(gpu.uuid());
    }
    agent::read_gpu_processes(text, gpus);
    agent::unknown_field(text);
    wire::GpuError error;
    if (agent::read_xid(text, error) || agent::read_lost_gpu(text, error)) {
        require_text(error.text());
        require_text(error.pci());
        fuzz::require(error.t_us() >= 0, "a record has a time");
    }
    require_text(agent::read_lost_link(text));
    fuzz::require(agent::read_oom_kill(text).value_or(0) >= 0, "a process has a number");
}

void read_netlink(std::string_view text) {
    wire::Interface interface;
    if (agent::read_link(text, interface)) {
        require_text(interface.name());
        require_text(interface.driver());
    }
    const auto address = agent::read_address(text);
    fuzz::require(address.index == 0 || !address.address.empty(), "an address has a text");
    wire::Route route;
    agent::read_route(text, route);
    require_text(route.interface());
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const auto text = fuzz::as_text(data, size);
    read_names(text);
    read_settings(text);
    read_gpu_texts(text);
    read_netlink(text);
    agent::read_nft_ruleset(text);
    agent::read_iptables_save(text);
    agent::is_ufw_enabled(text);
    require_text(agent::file_system_of(text, "/data/x"));
    const auto found = agent::cgroup_limits(text, text, "/nonexistent");
    for (const auto& limit : found.limits()) {
        require_text(limit.source());
    }
    if (const auto number = agent::read_cgroup_number(text)) {
        fuzz::require(*number >= -1, "a limit is a number, or none");
    }
    if (const auto range = agent::read_port_range(text)) {
        fuzz::require(range->first <= range->second && range->second < 65536, "a range of ports");
    }
    for (const auto& [name, version] : agent::read_packages(text)) {
        require_text(name);
        require_text(version);
    }
    agent::driver_version(text);
    agent::library_version(text);
    agent::interpreter_of(text);
    agent::without_number(text);
    return 0;
}
