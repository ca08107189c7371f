// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include "support/test_network.h"

#include <base/clock.h>
#include <base/wait_fd.h>

#include <fcntl.h>
#include <linux/if_tun.h>
#include <net/if.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <exception>
#include <random>
#include <stdexcept>

namespace rankscope::test {
namespace {

bool succeeds(const std::string& command) {
    return std::system((command + " >/dev/null 2>&1").c_str()) == 0;
}

UniqueFd open_tun(const std::string& device) {
    UniqueFd fd(::open("/dev/net/tun", O_RDWR | O_NONBLOCK | O_CLOEXEC));
    ifreq request{};
    request.ifr_flags = IFF_TUN | IFF_NO_PI;
    std::strncpy(request.ifr_name, device.c_str(), IFNAMSIZ - 1);
    if (!fd || ::ioctl(fd.get(), TUNSETIFF, &request) != 0) {
        throw std::runtime_error("no tun device");
    }
    return fd;
}

}  // namespace

void enter_namespace(const std::string& path) {
    if (path.empty()) {
        return;
    }
    const UniqueFd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
    if (!fd || ::setns(fd.get(), CLONE_NEWNET) != 0) {
        throw std::runtime_error("cannot enter " + path);
    }
}

void in_namespace(const std::string& path, const std::function<void()>& work) {
    std::exception_ptr failure;
    std::thread([&] {
        try {
            enter_namespace(path);
            work();
        } catch (...) {
            failure = std::current_exception();
        }
    }).join();
    if (failure) {
        std::rethrow_exception(failure);
    }
}

TestNetwork::TestNetwork(int nodes) {
    static std::atomic<int> networks{0};
    prefix_ = "rankscope-net-" + std::to_string(::getpid()) + "-" + std::to_string(++networks) + "-";
    if (::geteuid() != 0) {
        problem_ = "network namespaces need root";
    } else if (!succeeds("ip -V")) {
        problem_ = "the program ip is missing: apt-get install iproute2";
    } else if (!succeeds("nft -v")) {
        problem_ = "the program nft is missing: apt-get install nftables";
    }
    for (; problem_.empty() && nodes_ < nodes; ++nodes_) {
        // Without duplicate address detection: an IPv6 address would not be in use before a second has passed.
        const std::string no_detection =
            "ip netns exec " + name(nodes_) +
            " sh -c 'for i in all default; do echo 0 >/proc/sys/net/ipv6/conf/$i/accept_dad; done'";
        if (!succeeds("ip netns add " + name(nodes_)) || !succeeds(no_detection) ||
            !succeeds("ip -n " + name(nodes_) + " link set lo up")) {
            problem_ = "this machine allows no new network namespaces (a container without CAP_SYS_ADMIN?)";
        }
    }
}

TestNetwork::~TestNetwork() {
    for (int node = 0; node < nodes_; ++node) {
        succeeds("ip netns del " + name(node));
    }
}

void TestNetwork::run(int node, const std::string& command) const {
    if (std::system(("ip netns exec " + name(node) + " " + command).c_str()) != 0) {
        throw std::runtime_error("failed: " + command);
    }
}

void TestNetwork::connect(int a, int b, const std::string& device_a, const std::string& device_b,
                          const std::vector<std::string>& addresses_a,
                          const std::vector<std::string>& addresses_b) const {
    run(a, "ip link add " + device_a + " type veth peer name " + device_b + " netns " + name(b));
    for (const auto& address : addresses_a) {
        run(a, "ip addr add " + address + " dev " + device_a);
    }
    for (const auto& address : addresses_b) {
        run(b, "ip addr add " + address + " dev " + device_b);
    }
    run(a, "ip link set " + device_a + " up");
    run(b, "ip link set " + device_b + " up");
}

void TestNetwork::rules(int node, const std::string& body) const {
    no_rules(node);
    run(node, "nft 'table inet test { " + body + "\n}'");
}

void TestNetwork::no_rules(int node) const {
    run(node, "nft flush ruleset");
}

FarCable::FarCable(const TestNetwork& network, int a, int b, const std::string& address_a,
                   const std::string& address_b, Quality quality)
    : quality_(quality) {
    const std::array<int, 2> nodes{a, b};
    for (std::size_t end = 0; end < nodes.size(); ++end) {
        in_namespace(network.path(nodes[end]), [&] { ends_[end] = open_tun("far0"); });
        network.run(nodes[end], "ip addr add " + (end == 0 ? address_a : address_b) + " dev far0");
        network.run(nodes[end], "ip link set far0 txqueuelen 1000 up");
    }
    thread_ = std::thread([this] { carry(); });
}

FarCable::~FarCable() {
    over_ = true;
    thread_.join();
}

void FarCable::carry() {
    constexpr double kLookInterval = 0.02;
    constexpr double kLongestQueue = 0.2;
    struct Packet {
        double due;
        std::string bytes;
    };
    std::array<std::deque<Packet>, 2> ways;  // from ends_[0], from ends_[1]
    std::array<double, 2> line_free{};
    std::mt19937 random(1);  // NOLINT: the same losses in every run
    std::uniform_real_distribution<double> chance(0, 1);
    std::array<char, 65536> buffer;
    while (!over_) {
        double wait = kLookInterval;
        for (const auto& way : ways) {
            if (!way.empty()) {
                wait = std::min(wait, std::max(0.0, way.front().due - monotonic_s()));
            }
        }
        std::array<pollfd, 2> entries{{{ends_[0].get(), POLLIN, 0}, {ends_[1].get(), POLLIN, 0}}};
        wait_any(entries, wait);
        const double now = monotonic_s();
        for (std::size_t end = 0; end < 2; ++end) {
            for (;;) {
                const auto got = ::read(ends_[end].get(), buffer.data(), buffer.size());
                if (got <= 0) {
                    break;
                }
                const auto size = static_cast<std::size_t>(got);
                if (chance(random) < quality_.loss || (quality_.largest != 0 && size > quality_.largest)) {
                    continue;
                }
                double due = now;
                if (quality_.bytes_per_s > 0) {
                    if (line_free[end] > now + kLongestQueue) {
                        continue;  // the queue is full
                    }
                    line_free[end] =
                        std::max(line_free[end], now) + static_cast<double>(size) / quality_.bytes_per_s;
                    due = line_free[end];
                }
                ways[end].push_back({due + quality_.delay_s, {buffer.data(), size}});
            }
            auto& way = ways[end];
            for (; !way.empty() && way.front().due <= now; way.pop_front()) {
                [[maybe_unused]] const auto put =
                    ::write(ends_[1 - end].get(), way.front().bytes.data(), way.front().bytes.size());
            }
        }
    }
}

}  // namespace rankscope::test
