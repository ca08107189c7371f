// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <base/clock.h>
#include <base/fd.h>
#include <base/utf8.h>
#include <remote/agent/node/command.h>
#include <remote/agent/probes/node_probe.h>

#include <arpa/inet.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/statvfs.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <map>
#include <sstream>
#include <vector>

namespace rankscope::agent {
namespace {

std::string value_of_line(const char* file, const std::string& key, char separator) {
    std::ifstream stream(file);
    std::string line;
    while (std::getline(stream, line)) {
        if (line.starts_with(key)) {
            const auto at = line.find(separator);
            if (at == std::string::npos) {
                continue;
            }
            std::string value = line.substr(at + 1);
            value.erase(0, value.find_first_not_of(" \t\""));
            value.erase(value.find_last_not_of(" \t\"") + 1);
            return value;
        }
    }
    return {};
}

std::uint64_t meminfo_bytes(const char* key) {
    return std::strtoull(value_of_line("/proc/meminfo", key, ':').c_str(), nullptr, 10) * 1024;
}

int usable_cpus() {
    cpu_set_t set;
    CPU_ZERO(&set);
    if (::sched_getaffinity(0, sizeof set, &set) == 0) {
        return CPU_COUNT(&set);
    }
    return static_cast<int>(::sysconf(_SC_NPROCESSORS_ONLN));
}

// Nothing when it fails or takes longer than `seconds`: a hung driver must not hang a probe.
std::string output_of(const std::vector<std::string>& argv, double seconds) {
    auto command = Command::start(argv, seconds);
    if (!command) {
        return {};
    }
    command->wait();
    return command->status() == 0 ? command->output() : std::string();
}

void add_gpus(wire::NodeFacts& facts) {
    if (::access("/dev/nvidiactl", F_OK) != 0) {
        return;
    }
    std::istringstream lines(output_of(
        {"nvidia-smi", "--query-gpu=index,memory.total,uuid,name", "--format=csv,noheader,nounits"}, 10));
    std::string line;
    while (std::getline(lines, line)) {
        std::istringstream fields(line);
        std::string index, memory, uuid, name;
        std::getline(fields, index, ',');
        std::getline(fields, memory, ',');
        std::getline(fields, uuid, ',');
        std::getline(fields, name);
        auto* gpu = facts.add_gpus();
        gpu->set_index(static_cast<std::uint32_t>(std::strtoul(index.c_str(), nullptr, 10)));
        gpu->set_memory_bytes(std::strtoull(memory.c_str(), nullptr, 10) << 20U);
        gpu->set_uuid(uuid.substr(std::min(uuid.size(), uuid.find_first_not_of(' '))));
        gpu->set_name(as_utf8(name.substr(std::min(name.size(), name.find_first_not_of(' ')))));
    }
}

void add_interfaces(wire::NodeFacts& facts) {
    ifaddrs* list = nullptr;
    if (::getifaddrs(&list) != 0) {
        return;
    }
    const UniqueFd probe(::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0));
    std::map<std::string, wire::Interface*> known;
    for (const ifaddrs* it = list; it != nullptr; it = it->ifa_next) {
        auto*& entry = known[it->ifa_name];
        if (entry == nullptr) {
            entry = facts.add_interfaces();
            entry->set_name(as_utf8(it->ifa_name));
            entry->set_up((it->ifa_flags & IFF_UP) != 0 && (it->ifa_flags & IFF_RUNNING) != 0);
            entry->set_loopback((it->ifa_flags & IFF_LOOPBACK) != 0);
            ifreq request{};
            std::strncpy(request.ifr_name, it->ifa_name, IFNAMSIZ - 1);
            if (::ioctl(probe.get(), SIOCGIFMTU, &request) == 0) {
                entry->set_mtu(static_cast<std::uint32_t>(request.ifr_mtu));
            }
        }
        if (it->ifa_addr == nullptr) {
            continue;
        }
        std::array<char, INET6_ADDRSTRLEN> text{};
        const int family = it->ifa_addr->sa_family;
        const void* address = nullptr;
        if (family == AF_INET) {
            address = &reinterpret_cast<const sockaddr_in*>(it->ifa_addr)->sin_addr;
        } else if (family == AF_INET6) {
            address = &reinterpret_cast<const sockaddr_in6*>(it->ifa_addr)->sin6_addr;
        }
        if (address != nullptr && ::inet_ntop(family, address, text.data(), text.size()) != nullptr) {
            entry->add_addresses(text.data());
        }
    }
    ::freeifaddrs(list);
}

}  // namespace

wire::NodeFacts probe_this_node(const NodePaths& paths) {
    wire::NodeFacts facts;
    facts.set_clock_us(now_us());
    facts.set_agent_version(RANKSCOPE_VERSION);
    utsname name{};
    ::uname(&name);
    facts.set_hostname(as_utf8(name.nodename));
    facts.set_kernel(name.release);
    facts.set_machine(name.machine);
    facts.set_os(as_utf8(value_of_line("/etc/os-release", "PRETTY_NAME", '=')));
    facts.set_cpus(static_cast<std::uint32_t>(usable_cpus()));
    facts.set_cpu_model(as_utf8(value_of_line("/proc/cpuinfo", "model name", ':')));
    facts.set_memory_bytes(meminfo_bytes("MemTotal"));
    facts.set_memory_free_bytes(meminfo_bytes("MemAvailable"));
    facts.set_cache_dir(as_utf8(paths.root().string()));
    struct statvfs disk {};
    if (::statvfs(paths.root().c_str(), &disk) == 0) {
        facts.set_cache_free_bytes(static_cast<std::uint64_t>(disk.f_bavail) * disk.f_frsize);
    }
    const char* user = std::getenv("USER");
    facts.set_user(user != nullptr ? as_utf8(user) : "uid " + std::to_string(::getuid()));
    double load = 0;
    if (::getloadavg(&load, 1) == 1) {
        facts.set_load1(load);
    }
    add_gpus(facts);
    add_interfaces(facts);
    return facts;
}

}  // namespace rankscope::agent
