// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <base/files.h>
#include <base/utf8.h>
#include <remote/agent/cleanup/leftovers.h>
#include <remote/agent/nccl/ring_folder.h>
#include <remote/agent/node/command.h>
#include <remote/agent/node/process_tree.h>
#include <remote/agent/nvml/nvml_program.h>
#include <remote/agent/probes/ports.h>
#include <remote/agent/supervise/supervisor.h>

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <sstream>
#include <string>
#include <vector>

namespace rankscope::agent {
namespace fs = std::filesystem;
namespace {

constexpr const char* kShm = "/dev/shm";
constexpr double kDriverTimeout = 10;

std::string proc_file(pid_t pid, const char* name) {
    return read_file("/proc/" + std::to_string(pid) + '/' + name).value_or(std::string());
}

wire::Leftover describe(const char* kind, pid_t pid) {
    wire::Leftover entry;
    entry.set_kind(kind);
    entry.set_pid(pid);
    entry.set_what(command_of(pid));
    entry.set_user(owner_of(pid));
    entry.set_since_us(started_at(pid) * 1000000);
    entry.set_own(is_own(pid));
    return entry;
}

// What NCCL, PyTorch (file_descriptor and file_system sharing), Python's multiprocessing and this program
// make.
bool is_a_trainers(const std::string& name) {
    for (const char* prefix : {"nccl-", "torch_", "rankscope-", "psm_", "sem.mp-", "gloo-"}) {
        if (name.starts_with(prefix)) {
            return true;
        }
    }
    return false;
}

// The user's segments that no process of the user has open or mapped.
std::vector<fs::directory_entry> unused_segments() {
    std::vector<fs::directory_entry> found;
    std::string mapped;
    for (const pid_t pid : all_processes()) {
        if (is_own(pid)) {
            mapped += proc_file(pid, "maps");
            std::error_code error;
            for (fs::directory_iterator fd("/proc/" + std::to_string(pid) + "/fd", error), end;
                 !error && fd != end; fd.increment(error)) {
                std::error_code ignored;
                mapped += fs::read_symlink(fd->path(), ignored).string() + '\n';
            }
        }
    }
    std::error_code error;
    for (fs::directory_iterator it(kShm, error), end; !error && it != end; it.increment(error)) {
        struct stat info {};
        const std::string path = it->path().string();
        if (::lstat(path.c_str(), &info) == 0 && S_ISREG(info.st_mode) && info.st_uid == ::getuid() &&
            mapped.find(path + '\n') == std::string::npos) {
            found.push_back(*it);
        }
    }
    return found;
}

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

void add_gpu_memory(wire::LeftoverList& list) {
    for (const auto& holder : gpu_holders()) {
        auto entry = describe("gpu-memory", holder.pid);
        entry.set_bytes(holder.bytes);
        entry.set_run_id(run_of(holder.pid));
        *list.add_entries() = std::move(entry);
    }
}

}  // namespace

bool is_of_live_run(const NodePaths& paths, pid_t pid) {
    const std::string run_id = run_of(pid);
    return is_safe_name(run_id) && fs::exists(paths.run(run_id)) &&
           supervisor_is_alive(RunDir{paths.run(run_id)});
}

wire::LeftoverList find_leftovers(const NodePaths& paths, const wire::Leftovers& request) {
    wire::LeftoverList list;
    if (request.port() != 0) {
        if (const pid_t holder = holder_of_port(static_cast<std::uint16_t>(request.port())); holder > 0) {
            auto entry = describe("port", holder);
            entry.set_port(request.port());
            entry.set_run_id(run_of(holder));
            entry.set_live(is_of_live_run(paths, holder));
            *list.add_entries() = std::move(entry);
        } else if (std::string held_by; !port_is_free(static_cast<std::uint16_t>(request.port()), held_by)) {
            auto* entry = list.add_entries();
            entry->set_kind("port");
            entry->set_what(held_by);
            entry->set_port(request.port());
        }
        return list;
    }
    std::map<std::string, bool> live;
    for (const pid_t pid : all_processes()) {
        const std::string run_id = run_of(pid);
        if (run_id.empty() || pid == ::getpid()) {
            continue;
        }
        if (live.count(run_id) == 0) {
            live[run_id] = is_of_live_run(paths, pid);
        }
        auto entry = describe("process", pid);
        entry.set_run_id(run_id);
        entry.set_live(live[run_id]);
        for (const auto port : listening_ports_of(pid)) {
            auto held = entry;
            held.set_kind("port");
            held.set_port(port);
            *list.add_entries() = std::move(held);
        }
        *list.add_entries() = std::move(entry);
    }
    for (const auto& segment : unused_segments()) {
        auto* entry = list.add_entries();
        std::error_code ignored;
        const std::string name = segment.path().filename().string();
        entry->set_kind(is_a_trainers(name) ? "shared-memory" : "other-shared-memory");
        entry->set_what(as_utf8(name));
        entry->set_bytes(segment.file_size(ignored));
        entry->set_own(true);
    }
    for (const auto& folder : abandoned_ring_folders()) {
        auto* entry = list.add_entries();
        entry->set_kind("shared-memory");
        entry->set_what(as_utf8(folder.path.filename().string()));
        entry->set_bytes(folder.bytes);
        entry->set_own(true);
    }
    add_gpu_memory(list);
    return list;
}

std::vector<std::string> free_shared_memory(bool dry_run) {
    std::vector<std::string> names;
    for (const auto& segment : unused_segments()) {
        if (!is_a_trainers(segment.path().filename().string())) {
            continue;
        }
        if (dry_run || ::unlink(segment.path().c_str()) == 0) {
            names.push_back(as_utf8(segment.path().string()));
        }
    }
    for (const auto& folder : abandoned_ring_folders()) {
        std::error_code error;
        if (dry_run || fs::remove_all(folder.path, error) > 0) {
            names.push_back(as_utf8(folder.path.string()));
        }
    }
    return names;
}

}  // namespace rankscope::agent
