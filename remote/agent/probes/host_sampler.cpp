// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <base/clock.h>
#include <base/files.h>
#include <remote/agent/probes/host_sampler.h>
#include <remote/wire/sample_keys.h>

#include <sys/statvfs.h>

#include <algorithm>
#include <cstdlib>

namespace rankscope::agent {
namespace {

constexpr double kShortestSample = 0.05;  // the kernel counts in hundredths of a second

CpuTime cpu_now() {
    return parse_proc_stat(read_file("/proc/stat").value_or("")).value_or(CpuTime());
}

std::map<std::string, Traffic> traffic_now() {
    return parse_net_dev(read_file("/proc/net/dev").value_or(""));
}

}  // namespace

HostSampler::HostSampler(std::filesystem::path disk)
    : disk_(std::move(disk)), last_s_(monotonic_s()), cpu_(cpu_now()), traffic_(traffic_now()) {}

wire::Sample HostSampler::take() {
    wire::Sample sample;
    const auto add = [&sample](const std::string& key, double value) {
        sample.add_keys(key);
        sample.add_values(value);
    };
    const double now = monotonic_s();
    const double passed = now - last_s_;
    if (passed >= kShortestSample) {
        const CpuTime cpu = cpu_now();
        if (cpu.total > cpu_.total && cpu.busy >= cpu_.busy) {
            add(sample_key::kCpu,
                static_cast<double>(cpu.busy - cpu_.busy) / static_cast<double>(cpu.total - cpu_.total));
        }
        cpu_ = cpu;
    }
    double load = 0;
    if (::getloadavg(&load, 1) == 1) {
        add(sample_key::kLoad1, load);
    }
    if (const auto memory = parse_meminfo(read_file("/proc/meminfo").value_or(""))) {
        add(sample_key::kMemUsed, static_cast<double>(memory->total - memory->available));
        add(sample_key::kMemTotal, static_cast<double>(memory->total));
    }
    struct statvfs disk {};
    if (::statvfs(disk_.c_str(), &disk) == 0) {
        add(sample_key::kDiskFree, static_cast<double>(disk.f_bavail) * static_cast<double>(disk.f_frsize));
        add(sample_key::kDiskTotal, static_cast<double>(disk.f_blocks) * static_cast<double>(disk.f_frsize));
    }
    if (passed >= kShortestSample) {
        auto traffic = traffic_now();
        for (const auto& [name, bytes] : traffic) {
            // One that has just come has no rate yet; counters that went back belong to a new one.
            const auto before = traffic_.find(name);
            if (before != traffic_.end() && bytes.received >= before->second.received &&
                bytes.sent >= before->second.sent) {
                add(sample_key::net(name, "rx"),
                    static_cast<double>(bytes.received - before->second.received) / passed);
                add(sample_key::net(name, "tx"),
                    static_cast<double>(bytes.sent - before->second.sent) / passed);
                if (bytes.errors > before->second.errors) {
                    add(sample_key::net(name, "errors"),
                        static_cast<double>(bytes.errors - before->second.errors) / passed);
                }
                if (bytes.drops > before->second.drops) {
                    add(sample_key::net(name, "drops"),
                        static_cast<double>(bytes.drops - before->second.drops) / passed);
                }
            }
        }
        traffic_ = std::move(traffic);
        last_s_ = now;
    }
    return sample;
}

double next_sample_due(double due, double now, double every_s) {
    const double on_the_beat = due + every_s;
    return on_the_beat - now >= every_s / 2 ? on_the_beat : now + every_s;
}

}  // namespace rankscope::agent
