// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include "support/firewalled_node.h"

#include "support/run_program.h"
#include "support/wait_until.h"

#include <base/clock.h>
#include <remote/agent/inspection/firewall.h>

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>

namespace rankscope::test {
namespace {

UniqueFd open_namespace(const char* name) {
    return UniqueFd(::open((std::string("/proc/self/ns/") + name).c_str(), O_RDONLY | O_CLOEXEC));
}

bool enter(const UniqueFd& other, int kind) {
    return ::setns(other.get(), kind) == 0;
}

struct Address {
    sockaddr_storage storage = {};
    socklen_t size = 0;
};

/// An empty text: any.
Address address_of(const std::string& text, int port, bool v6) {
    Address address;
    if (v6) {
        sockaddr_in6 in = {};
        in.sin6_family = AF_INET6;
        in.sin6_port = htons(static_cast<std::uint16_t>(port));
        ::inet_pton(AF_INET6, text.empty() ? "::" : text.c_str(), &in.sin6_addr);
        std::memcpy(&address.storage, &in, sizeof in);
        address.size = sizeof in;
    } else {
        sockaddr_in in = {};
        in.sin_family = AF_INET;
        in.sin_port = htons(static_cast<std::uint16_t>(port));
        ::inet_pton(AF_INET, text.empty() ? "0.0.0.0" : text.c_str(), &in.sin_addr);
        std::memcpy(&address.storage, &in, sizeof in);
        address.size = sizeof in;
    }
    return address;
}

const sockaddr* raw(const Address& address) {
    return reinterpret_cast<const sockaddr*>(&address.storage);
}

}  // namespace

FirewalledNode::FirewalledNode() {
    if (const char* path = std::getenv("PATH"); path != nullptr) {
        path_ = path;
    }
    working_folder_ = std::filesystem::current_path();
}

FirewalledNode::~FirewalledNode() {
    stop();
    ::setenv("PATH", path_.c_str(), 1);
}

void FirewalledNode::stop() {
    for (const pid_t daemon : daemons_) {
        ::kill(daemon, SIGKILL);
        ::waitpid(daemon, nullptr, 0);
    }
    daemons_.clear();
    if (original_) {
        enter(original_, CLONE_NEWNET);
        enter(original_mounts_, CLONE_NEWNS);
        std::filesystem::current_path(working_folder_);  // setns(2) leaves it
    }
}

std::string FirewalledNode::start(const std::vector<std::string>& programs) {
    stop();
    ::setenv("PATH", ((folder_ / "bin").string() + ":/usr/sbin:/sbin:" + path_).c_str(), 1);
    for (const auto& program : programs) {
        if (find_on_path(program).empty()) {
            return program + " is not installed";
        }
    }
    if (::geteuid() != 0) {
        return "network namespaces need root";
    }
    original_ = open_namespace("net");
    original_mounts_ = open_namespace("mnt");
    if (::unshare(CLONE_NEWNET) != 0) {
        return std::string("no network namespace: ") + std::strerror(errno);
    }
    peer_ = open_namespace("net");
    if (::unshare(CLONE_NEWNET | CLONE_NEWNS) != 0) {
        return std::string("no mount namespace: ") + std::strerror(errno);
    }
    node_ = open_namespace("net");
    std::filesystem::create_directories(folder_ / "bin");
    write_text(folder_ / "bin" / "sudo", "#!/bin/sh\nexec \"$@\"\n");
    std::filesystem::permissions(folder_ / "bin" / "sudo", std::filesystem::perms::owner_all);
    ::setenv("FOLDER", folder_.path().c_str(), 1);
    ::setenv("PEER", ("/proc/" + std::to_string(::getpid()) + "/fd/" + std::to_string(peer_.get())).c_str(),
             1);
    auto problem = sh(R"(
set -e
mount --make-rprivate /
rm -rf "$FOLDER/etc"
for each in /etc/ufw /etc/default /etc/firewalld; do
    if [ -d $each ]; then
        mkdir -p "$FOLDER$each"
        cp -a $each/. "$FOLDER$each"
        mount --bind "$FOLDER$each" $each
    fi
done
mount -t tmpfs tmpfs /run
mount -t tmpfs tmpfs /var/log
mkdir -p /run/lock /run/dbus
ip link set lo up
ip link add ens1 type veth peer name ens1 netns "$PEER"
ip link set ens1 up
ip address add 10.99.0.1/24 dev ens1
ip address add fd99::1/64 dev ens1 nodad
echo 0 >/proc/sys/net/ipv4/icmp_ratelimit
echo 0 >/proc/sys/net/ipv6/icmp/ratelimit
)");
    if (problem.empty()) {
        enter(peer_, CLONE_NEWNET);
        problem =
            sh("ip link set lo up && ip link set ens1 up && ip address add 10.99.0.2/24 dev ens1 && "
               "ip address add fd99::2/64 dev ens1 nodad");
        enter(node_, CLONE_NEWNET);
    }
    return problem.empty() ? std::string() : "namespaces cannot be joined here: " + problem;
}

std::string FirewalledNode::sh(const std::string& commands) const {
    const auto result = run_program({"sh", "-c", commands});
    return result.status == 0
               ? std::string()
               : "status " + std::to_string(result.status) + ": " + result.output + result.errors;
}

std::string FirewalledNode::output(const std::string& commands) const {
    return run_program({"sh", "-c", commands}).output;
}

void FirewalledNode::use_iptables(const std::string& backend) {
    for (const std::string program : {"iptables", "ip6tables"}) {
        for (const std::string suffix : {"", "-save"}) {
            const auto link = folder_ / "bin" / (program + suffix);
            std::filesystem::remove(link);
            std::filesystem::create_symlink(find_on_path(program + '-' + backend + suffix), link);
        }
    }
}

bool FirewalledNode::spawn(const std::vector<std::string>& argv) {
    std::vector<std::string> words = argv;
    std::vector<char*> pointers;
    pointers.reserve(words.size() + 1);
    for (auto& word : words) {
        pointers.push_back(word.data());
    }
    pointers.push_back(nullptr);
    const pid_t pid = ::fork();
    if (pid == 0) {
        ::prctl(PR_SET_PDEATHSIG, SIGKILL);
        const int log = ::open("/run/daemons.log", O_WRONLY | O_CREAT | O_APPEND, 0600);
        ::dup2(log, 1);
        ::dup2(log, 2);
        ::execvp(pointers[0], pointers.data());
        ::_exit(127);
    }
    if (pid > 0) {
        daemons_.push_back(pid);
    }
    return pid > 0;
}

std::string FirewalledNode::start_firewalld() {
    if (!spawn({"dbus-daemon", "--system", "--nofork", "--nopidfile"})) {
        return "no dbus-daemon";
    }
    const auto wait_for = [&](const std::string& condition) {
        return wait_until([&] { return sh(condition).empty(); });
    };
    if (!wait_for("test -S /run/dbus/system_bus_socket") || !spawn({"firewalld", "--nofork", "--nopid"}) ||
        !wait_for("firewall-cmd --state")) {
        return "firewalld does not start: " + output("cat /run/daemons.log");
    }
    return {};
}

FirewallAnswer FirewalledNode::connect(const FirewallFlow& flow, FirewallAnswer expected) const {
    const bool v6 = flow.to.find(':') != std::string::npos;
    const auto& here = flow.outgoing ? node_ : peer_;
    const auto& there = flow.outgoing ? peer_ : node_;
    const int family = v6 ? AF_INET6 : AF_INET;
    enter(there, CLONE_NEWNET);
    const UniqueFd listener(::socket(family, SOCK_STREAM | SOCK_CLOEXEC, 0));
    enter(here, CLONE_NEWNET);
    const UniqueFd socket(::socket(family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
    enter(node_, CLONE_NEWNET);
    const int on = 1;
    ::setsockopt(listener.get(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    const auto any = address_of("", flow.port, v6);
    if (::bind(listener.get(), raw(any), any.size) != 0 || ::listen(listener.get(), 4) != 0) {
        return FirewallAnswer::Unknown;
    }
    const auto to = address_of(flow.to, flow.port, v6);
    int error = ::connect(socket.get(), raw(to), to.size) == 0 ? 0 : errno;
    if (error == EINPROGRESS) {
        pollfd waiting{.fd = socket.get(), .events = POLLOUT, .revents = 0};
        if (::poll(&waiting, 1, expected == FirewallAnswer::Drop ? 500 : 10'000) == 0) {
            return FirewallAnswer::Drop;
        }
        socklen_t size = sizeof error;
        ::getsockopt(socket.get(), SOL_SOCKET, SO_ERROR, &error, &size);
    }
    return error == 0 ? FirewallAnswer::Accept : FirewallAnswer::Reject;
}

wire::Firewall FirewalledNode::inspected() const {
    agent::Tools tools;
    for (const std::string name : {"nft", "iptables-save", "ip6tables-save", "iptables-legacy-save",
                                   "ip6tables-legacy-save", "ufw", "firewall-cmd"}) {
        if (const auto path = find_on_path(name); !path.empty()) {
            tools[name] = path;
        }
    }
    const agent::NodePaths paths(folder_.path());
    const wire::InspectHost request;
    const std::stop_token stop;
    const double deadline = monotonic_s() + 60;
    while (true) {
        const agent::InspectionScope scope{.paths = paths, .request = request, .stop = stop, .end = deadline};
        const auto found = agent::inspect_firewall(scope, tools);
        if (found.unseen_size() == 0 || monotonic_s() > deadline) {
            return found.firewall();
        }
    }
}

wire::Firewall FirewalledNode::nftables() const {
    wire::Firewall firewall;
    firewall.set_kind("nftables");
    firewall.set_active(true);
    firewall.set_seen_by("root");
    firewall.set_rules(output("nft -j list ruleset"));
    return firewall;
}

std::string FirewalledNode::rules() const {
    // When ufw reloads it loses some of its own rules for limits, which this test does not use.
    return output(R"(
{ iptables-save; ip6tables-save; } 2>&1 | grep -v -e '^#' -e user-limit | sed 's/ .[0-9]*:[0-9]*.$//'
iptables-save 2>/dev/null | grep -q ufw || nft -s list ruleset
cat /etc/ufw/user.rules /etc/ufw/user6.rules 2>/dev/null
if [ -S /run/dbus/system_bus_socket ]; then firewall-cmd --permanent --list-all-zones; fi
)");
}

}  // namespace rankscope::test
