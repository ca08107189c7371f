// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <base/utf8.h>
#include <remote/agent/cleanup/leftovers.h>
#include <remote/agent/cleanup/live_runs.h>
#include <remote/agent/cleanup/shared_memory.h>
#include <remote/agent/node/command.h>
#include <remote/agent/node/process_tree.h>
#include <remote/agent/nvml/nvml_program.h>
#include <remote/agent/probes/ports.h>

#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

namespace rankscope::agent {
namespace {

constexpr double kDriverTimeout = 10;

wire::Leftover describe(const char* kind, pid_t pid) {
    wire::Leftover entry;
    entry.set_kind(kind);
    entry.set_pid(pid);
    entry.set_what(command_of(pid));
    entry.set_user(owner_of(pid));
    entry.set_since_us(started_at(pid) * 1000000);
    entry.set_start_ticks(start_ticks_of(pid));
    entry.set_own(is_own(pid));
    return entry;
}

// Marks what belongs to a live run, and says whose run that is.
class Owners {
public:
    explicit Owners(const NodePaths& paths) : paths_(paths) {}

    const LiveRuns& live() const { return live_; }
    /// Whether it is of a run.
    bool mark(wire::Leftover& entry, pid_t pid) {
        const RunOfProcess of = run_of_process(paths_, live_, pid);
        entry.set_run_id(of.run_id);
        entry.set_live(of.live);
        if (of.live) {
            describe_run(entry);
        }
        return !of.run_id.empty();
    }
    void mark(wire::Leftover& entry, const UnusedSegment& segment) {
        if (segment.may_be_of != nullptr) {
            entry.set_run_id(segment.may_be_of->run_id);
            entry.set_live(true);
            describe_run(entry);
        }
    }

private:
    void describe_run(wire::Leftover& entry) {
        const auto known = runs_.find(entry.run_id());
        const wire::RunEntry& run = known != runs_.end() ? known->second : read(entry.run_id());
        entry.set_run_name(run.name());
        entry.set_desk(run.desk());
        entry.set_elsewhere(run.elsewhere());
    }
    const wire::RunEntry& read(const std::string& run_id) {
        wire::RunEntry& entry = runs_[run_id];
        const LiveSupervisor* supervisor = live_.find(run_id);
        const RunDir dir = supervisor != nullptr ? supervisor->dir : RunDir{paths_.run(run_id)};
        wire::StartRun run;
        std::ifstream spec(dir.spec(), std::ios::binary);
        if (run.ParseFromIstream(&spec)) {
            entry.set_name(run.name());
            entry.set_desk(run.desk());
        }
        entry.set_elsewhere(is_elsewhere(paths_, dir));
        return entry;
    }

    const NodePaths& paths_;
    LiveRuns live_ = LiveRuns::now();
    std::map<std::string, wire::RunEntry> runs_;
};

struct GpuHolder {
    pid_t pid = 0;
    std::uint64_t bytes = 0;
};

// Of nvidia-smi: "pid, MiB" a line.
std::vector<GpuHolder> ask_nvidia_smi() {
    std::vector<GpuHolder> holders;
    auto command = Command::start(
        {"nvidia-smi", "--query-compute-apps=pid,used_memory", "--format=csv,noheader,nounits"},
        kDriverTimeout);
    if (!command) {
        return holders;
    }
    command->wait();
    std::istringstream lines(command->output());
    for (std::string line; std::getline(lines, line);) {
        const auto comma = line.find(',');
        const auto pid = static_cast<pid_t>(std::atol(line.c_str()));
        if (comma != std::string::npos && pid > 0) {
            holders.push_back({pid, std::strtoull(line.c_str() + comma + 1, nullptr, 10) << 20U});
        }
    }
    return holders;
}

// None where there is no NVIDIA driver, or it does not answer soon.
std::vector<GpuHolder> gpu_holders() {
    const NvmlPlace place = NvmlPlace::of_this_node();
    std::vector<GpuHolder> holders;
    if (place.has_driver()) {
        const auto answer = ask_nvml(place, kDriverTimeout);
        for (const auto& [index, gpu] : answer.lines.gpus()) {
            for (const auto& process : gpu.processes) {
                holders.push_back({process.pid, process.bytes});
            }
        }
        if (answer.opened) {
            return holders;
        }
    }
    return ask_nvidia_smi();
}

void add_gpu_memory(wire::LeftoverList& list, Owners& owners) {
    for (const auto& holder : gpu_holders()) {
        auto entry = describe("gpu-memory", holder.pid);
        entry.set_bytes(holder.bytes);
        owners.mark(entry, holder.pid);
        *list.add_entries() = std::move(entry);
    }
}

void add_shared_memory(wire::LeftoverList& list, Owners& owners) {
    const auto folder = shared_memory_folder();
    for (const auto& segment : unused_segments(folder, owners.live())) {
        auto* entry = list.add_entries();
        entry->set_kind(segment.of_trainer ? "shared-memory" : "other-shared-memory");
        entry->set_what(as_utf8(segment.path.filename().string()));
        entry->set_bytes(segment.bytes);
        entry->set_own(true);
        owners.mark(*entry, segment);
    }
    for (const auto& ring : abandoned_rings(folder, owners.live())) {
        auto* entry = list.add_entries();
        entry->set_kind("shared-memory");
        entry->set_what(as_utf8(ring.path.filename().string()));
        entry->set_bytes(ring.bytes);
        entry->set_own(true);
    }
}

}  // namespace

wire::LeftoverList find_leftovers(const NodePaths& paths, const wire::Leftovers& request) {
    wire::LeftoverList list;
    Owners owners(paths);
    if (request.port() != 0) {
        if (const pid_t holder = holder_of_port(static_cast<std::uint16_t>(request.port())); holder > 0) {
            auto entry = describe("port", holder);
            entry.set_port(request.port());
            owners.mark(entry, holder);
            *list.add_entries() = std::move(entry);
        } else if (std::string held_by; !port_is_free(static_cast<std::uint16_t>(request.port()), held_by)) {
            auto* entry = list.add_entries();
            entry->set_kind("port");
            entry->set_what(held_by);
            entry->set_port(request.port());
        }
        return list;
    }
    for (const pid_t pid : all_processes()) {
        if (pid == ::getpid() || run_of(pid).empty()) {
            continue;
        }
        auto entry = describe("process", pid);
        owners.mark(entry, pid);
        for (const auto port : listening_ports_of(pid)) {
            auto held = entry;
            held.set_kind("port");
            held.set_port(port);
            *list.add_entries() = std::move(held);
        }
        *list.add_entries() = std::move(entry);
    }
    add_shared_memory(list, owners);
    add_gpu_memory(list, owners);
    return list;
}

}  // namespace rankscope::agent
