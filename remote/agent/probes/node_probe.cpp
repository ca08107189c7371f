// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <base/clock.h>
#include <base/utf8.h>
#include <remote/agent/node/command.h>
#include <remote/agent/nvml/nvml_program.h>
#include <remote/agent/probes/gpu_monitor.h>
#include <remote/agent/probes/interfaces.h>
#include <remote/agent/probes/node_probe.h>
#include <remote/wire/sample_keys.h>

#include <sched.h>
#include <sys/statvfs.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <sstream>
#include <vector>

namespace rankscope::agent {
namespace {

constexpr double kDriverTimeout = 10;

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

void add_gpus_of_nvidia_smi(wire::NodeFacts& facts) {
    std::istringstream lines(
        output_of({"nvidia-smi", "--query-gpu=index,memory.total,uuid,name", "--format=csv,noheader,nounits"},
                  kDriverTimeout));
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

// With their state of this moment, and what they can compute.
void add_gpus(wire::NodeFacts& facts) {
    const NvmlPlace place = NvmlPlace::of_this_node();
    if (!place.has_driver()) {
        return;
    }
    const auto answer = ask_nvml(place, kDriverTimeout);
    if (!answer.opened) {
        return add_gpus_of_nvidia_smi(facts);
    }
    const auto add = [&facts](const std::string& key, double value) {
        facts.mutable_sample()->add_keys(key);
        facts.mutable_sample()->add_values(value);
    };
    for (const auto& [index, found] : answer.lines.gpus()) {
        auto* gpu = facts.add_gpus();
        gpu->set_index(static_cast<std::uint32_t>(index));
        gpu->set_memory_bytes(found.value("mem_total"));
        gpu->set_uuid(found.text("uuid"));
        gpu->set_name(found.text("name"));
        if (const auto compute = found.value("compute"); compute > 0) {
            add(sample_key::gpu(index, "compute"), static_cast<double>(compute));
        }
    }
    for (const auto& [key, value] : answer.lines.sample()) {
        add(key, value);
    }
    if (answer.lines.cuda() > 0) {
        add(sample_key::kCudaDriver, static_cast<double>(answer.lines.cuda()));
    }
    if (!answer.good()) {
        add(sample_key::kGpuUnavailable,
            static_cast<double>(answer.lines.failure() ? GpuSilence::DriverError : GpuSilence::NoAnswer));
    }
}

void add_interfaces(wire::NodeFacts& facts) {
    int ignored = 0;
    for (const auto& found : network_interfaces(ignored)) {
        auto* entry = facts.add_interfaces();
        entry->set_name(found.name());
        entry->set_up(found.up() && found.carrier());
        entry->set_loopback(found.loopback());
        entry->set_mtu(found.mtu());
        *entry->mutable_addresses() = found.addresses();
    }
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
