// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <tests/engine/two_nodes.h>
#include <unistd.h>

#include <cstdlib>

namespace rankscope::engine::test {
namespace {

bool run(const std::string& command) {
    return std::system((command + " >/dev/null 2>&1").c_str()) == 0;  // NOLINT(concurrency-mt-unsafe)
}

}  // namespace

TwoNodes::TwoNodes() : prefix_("rankscope-test-" + std::to_string(getpid()) + "-") {
    if (geteuid() != 0) {
        problem_ = "network namespaces need root";
    } else if (!run("ip -V")) {
        problem_ = "the program ip is missing: apt-get install iproute2";
    } else if (!run("nft -v")) {
        problem_ = "the program nft is missing: apt-get install nftables";
    } else if (!run("ip netns add " + name(0)) || !run("ip netns add " + name(1))) {
        problem_ = "this machine allows no new network namespaces (a container without CAP_SYS_ADMIN?)";
    }
    if (!problem_.empty()) {
        return;
    }
    bool made = run("ip -n " + name(0) + " link add eth0 type veth peer name eth0 netns " + name(1));
    for (const int node : {0, 1}) {
        const std::string inside = "ip -n " + name(node);
        made = made && run(inside + " addr add " + address(node) + "/24 dev eth0") &&
               run(inside + " link set eth0 up") && run(inside + " link set lo up");
    }
    problem_ = made ? "" : "a cable between two network namespaces cannot be made (no veth?)";
}

TwoNodes::~TwoNodes() {
    for (const int node : {0, 1}) {
        run("ip netns del " + name(node));
    }
}

bool TwoNodes::cut() {
    return run(
        "ip netns exec " + name(1) +
        " nft 'add table inet cut; add chain inet cut in { type filter hook input priority 0; policy drop; "
        "}; add chain inet cut out { type filter hook output priority 0; policy drop; }; "
        "add rule inet cut in iif lo accept; add rule inet cut out oif lo accept'");
}

}  // namespace rankscope::engine::test
