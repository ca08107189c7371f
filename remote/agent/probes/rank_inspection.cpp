// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <base/files.h>
#include <base/number_text.h>
#include <base/utf8.h>
#include <remote/agent/node/process_tree.h>
#include <remote/agent/probes/blocked_file.h>
#include <remote/agent/probes/cgroup_pressure.h>
#include <remote/agent/probes/proc_folder.h>
#include <remote/agent/probes/rank_inspection.h>
#include <remote/agent/probes/rank_processes.h>
#include <remote/agent/probes/rank_series.h>
#include <remote/agent/probes/rank_stacks.h>
#include <remote/agent/probes/socket_states.h>
#include <remote/agent/probes/thread_states.h>
#include <remote/agent/ranks/inner_list.h>
#include <remote/agent/ranks/python_environment.h>
#include <remote/agent/ranks/stack_hook.h>

#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace rankscope::agent {
namespace {

constexpr std::size_t kMostHelpers = 32;  // processes below a rank's whose system calls are looked at

/// One look at the ranks of one folder.
class Look {
public:
    Look(wire::RankInspections& result, const std::stop_token& stop) : result_(result), stop_(stop) {}

    void add_folder(const RunDir& dir, bool shared, const std::set<int>& wanted);
    void finish(bool stacks, bool native_stacks);
    void add_series(std::uint32_t samples, double seconds);

private:
    struct Rank {
        wire::RankInspection* seen;
        pid_t root;
        pid_t works;
        std::vector<pid_t> tree;
        std::vector<std::uint64_t> inodes;
        StackRequest stack;
    };

    void read_all_sockets();
    void choose_process(Rank& rank);
    void inspect(Rank& rank);
    void add_tree(const Rank& rank);
    void add_sockets(const Rank& rank, const ProcFolder& process);
    void add_pressure(const Rank& rank, const ProcFolder& process);
    void add_stacks(bool native);
    void add_blocked_file(const Rank& rank, const ProcFolder& process, const std::vector<ThreadLook>& threads,
                          bool traceable);
    bool set_blocked(wire::RankInspection& seen, pid_t pid, const ProcFolder& process,
                     const ThreadLook& thread, bool memory, bool only_files);
    const std::vector<Mount>& mounts_of(const ProcFolder& process);

    wire::RankInspections& result_;
    const std::stop_token& stop_;
    ProcessTable table_ = ProcessTable::read();
    std::vector<Rank> ranks_;
    SocketTable sockets_;
    std::map<std::string, std::vector<Mount>> mounts_;  ///< by mount namespace
    std::string own_network_ = ProcFolder("/proc/self").link("ns/net");
    CgroupPressures pressures_{parse_mountinfo(read_file("/proc/self/mountinfo").value_or(""))};
    double uptime_ = 0;
};

const double kTicks = static_cast<double>(::sysconf(_SC_CLK_TCK));

std::string path_of(pid_t pid) {
    return "/proc/" + std::to_string(pid);
}

void add_unseen(wire::RankInspection& seen, const std::string& what, const std::string& why) {
    auto* unseen = seen.add_unseen();
    unseen->set_what(what);
    unseen->set_why(why);
}

// A process that waits for its own child: a wrapper. The name of the function is the same in all kernels.
bool waits_for_child(pid_t pid) {
    return ProcFolder(path_of(pid)).read("wchan") == "do_wait";
}

void Look::add_folder(const RunDir& dir, bool shared, const std::set<int>& wanted) {
    wire::StartRun run;
    std::ifstream spec(dir.spec(), std::ios::binary);
    if (!run.ParseFromIstream(&spec)) {
        return;
    }
    const auto python = find_python_environment(run.own());
    const std::string programs = python ? python->path_prefix : std::string();
    const auto roots = rank_processes(dir, shared, table_);
    std::set<int> numbers;
    for (const auto& [number, root] : roots) {
        numbers.insert(number);
    }
    for (const auto& rank : run.ranks()) {
        // A rank whose process is gone is listed, too; not those of another node, nor a program that has started ranks.
        const bool of_program = !read_inner_list(dir, rank.rank()).empty();
        if (!shared && !of_program) {
            numbers.insert(rank.rank());
        }
    }
    for (const int number : numbers) {
        if (!wanted.empty() && !wanted.contains(number)) {
            continue;
        }
        auto* seen = result_.add_ranks();
        seen->set_rank(number);
        if (const auto root = roots.find(number); root != roots.end()) {
            StackRequest stack;
            stack.hook_folder = stack_folder_of(dir, root->second.outer_rank);
            stack.programs = programs;
            const pid_t pid = root->second.pid;
            ranks_.push_back({seen, pid, pid, table_.tree_of(pid), {}, std::move(stack)});
        }
    }
}

void Look::finish(bool stacks, bool native_stacks) {
    const auto text = read_file("/proc/uptime").value_or(std::string());
    std::string_view uptime = text;
    uptime_ = take_number(uptime).value_or(0);
    read_all_sockets();
    for (auto& rank : ranks_) {
        if (stop_.stop_requested()) {
            auto* unseen = result_.add_unseen();
            unseen->set_what("ranks");
            unseen->set_why("the look was stopped");
            return;
        }
        inspect(rank);
    }
    if (stacks) {
        add_stacks(native_stacks);
    }
}

// Most often the rank's own process talks to its peers: one question to the kernel, which lists every socket of the
// node each time, serves all ranks. Below a shell a second one is needed.
void Look::read_all_sockets() {
    std::map<pid_t, std::vector<std::uint64_t>> by_process;
    const auto connects = [&](pid_t pid) {
        const auto inodes = by_process.find(pid);
        return inodes != by_process.end() &&
               std::any_of(inodes->second.begin(), inodes->second.end(), [&](std::uint64_t inode) {
                   const auto socket = sockets_.sockets.find(inode);
                   return socket != sockets_.sockets.end() && is_connection(socket->second);
               });
    };
    const auto read = [&](bool whole_trees) {
        std::unordered_set<std::uint64_t> all;
        for (const auto& rank : ranks_) {
            if (whole_trees && connects(rank.root)) {
                continue;
            }
            for (std::size_t i = 0; i < std::min(rank.tree.size(), whole_trees ? kMostHelpers : 1); ++i) {
                const auto& inodes = by_process[rank.tree[i]] =
                    open_files(ProcFolder(path_of(rank.tree[i]))).sockets;
                all.insert(inodes.begin(), inodes.end());
            }
        }
        if (!all.empty()) {
            auto more = read_sockets(ProcFolder("/proc/self/net"), all);
            sockets_.sockets.merge(more.sockets);
            sockets_.unseen = more.unseen;
        }
    };
    read(false);
    if (std::any_of(ranks_.begin(), ranks_.end(),
                    [&](const Rank& rank) { return rank.tree.size() > 1 && !connects(rank.root); })) {
        read(true);
    }
    for (auto& rank : ranks_) {
        rank.works = working_process(rank.root, table_, connects, waits_for_child);
        const auto files = open_files(ProcFolder(path_of(rank.works)));
        rank.inodes = files.sockets;
        rank.seen->set_gpu(files.gpu);
    }
}

void Look::inspect(Rank& rank) {
    auto& seen = *rank.seen;
    const ProcFolder process(path_of(rank.works));
    const auto stat = parse_process_stat(process.read("stat"));
    if (!process || !stat) {
        return;  // it has ended meanwhile
    }
    seen.set_pid(rank.works);
    seen.set_state(as_utf8(std::string(1, stat->state)));
    int denied = 0;
    const auto threads = look_at_threads(rank.works, process, kMostThreads, denied);
    bool sleeps_deeply = false;
    for (const auto& thread : threads) {
        *seen.add_threads() = thread.state;
        sleeps_deeply = sleeps_deeply || thread.state.state() == "D";
    }
    if (!threads.empty()) {
        seen.set_wait_channel(threads.front().state.wait_channel());
        seen.set_system_call(threads.front().state.system_call());
    }
    rank.stack.pid = rank.works;
    rank.stack.stopped = stat->state == 'T' || stat->state == 't' || stat->state == 'Z';
    rank.stack.held = sleeps_deeply || rank.stack.stopped;
    // The command line and the memory lie behind a lock that a thread in uninterruptible sleep may hold.
    seen.set_command(sleeps_deeply ? as_utf8(stat->command) : command_of(rank.works));
    if (denied != 0) {
        add_unseen(seen, "system_call", std::strerror(denied));
    }
    if (stat->threads > kMostThreads) {
        add_unseen(seen, "threads", std::to_string(stat->threads - kMostThreads) + " more");
    }
    const auto tracer = number_of(field_of_status(process.read("status"), "TracerPid")).value_or(0);
    if (tracer != 0) {
        seen.set_traced_by(describe_process(static_cast<pid_t>(tracer)));
    }
    add_tree(rank);
    add_blocked_file(rank, process, threads, denied == 0 && !sleeps_deeply);
    add_sockets(rank, process);
    add_pressure(rank, process);
}

void Look::add_tree(const Rank& rank) {
    double ticks = 0;
    ProcessIo all;
    bool io_seen = true;
    for (const pid_t pid : rank.tree) {
        const auto* stat = table_.find(pid);
        if (stat == nullptr) {
            continue;
        }
        ticks += static_cast<double>(stat->cpu_ticks + stat->children_ticks);
        const ProcFolder process(path_of(pid));
        const auto io = parse_process_io(process.read("io"));
        io_seen = io_seen && process.error() != EACCES;
        all.read_bytes += io.read_bytes;
        all.written_bytes += io.written_bytes;
    }
    rank.seen->set_cpu_s(ticks / kTicks);
    rank.seen->set_read_bytes(all.read_bytes);
    rank.seen->set_written_bytes(all.written_bytes);
    if (!io_seen) {
        add_unseen(*rank.seen, "read_bytes", std::strerror(EACCES));
    }
    if (const auto* root = table_.find(rank.root)) {
        rank.seen->set_elapsed_s(std::max(0.0, uptime_ - static_cast<double>(root->start_ticks) / kTicks));
    }
}

void Look::add_sockets(const Rank& rank, const ProcFolder& process) {
    const auto network = process.link("ns/net");
    SocketTable elsewhere;
    const SocketTable* table = &sockets_;
    if (!network.empty() && network != own_network_) {
        elsewhere = read_listed_sockets(ProcFolder(process, "net"), {rank.inodes.begin(), rank.inodes.end()});
        table = &elsewhere;
    }
    std::vector<wire::SocketState> sockets;
    for (const auto inode : rank.inodes) {
        if (const auto found = table->sockets.find(inode); found != table->sockets.end()) {
            sockets.push_back(found->second);
        }
    }
    if (sockets.size() > kMostSockets) {
        add_unseen(*rank.seen, "sockets", std::to_string(sockets.size() - kMostSockets) + " more");
    }
    if (!table->unseen.empty() && !rank.inodes.empty()) {
        add_unseen(*rank.seen, "sockets.retransmitted", table->unseen);
    }
    keep_most_telling(sockets);
    for (auto& socket : sockets) {
        *rank.seen->add_sockets() = std::move(socket);
    }
}

void Look::add_pressure(const Rank& rank, const ProcFolder& process) {
    const auto pressure = pressures_.of(process);
    rank.seen->set_throttled_s(pressure.throttled_s);
    rank.seen->set_throttled_by(as_utf8(pressure.throttled_by));
    rank.seen->set_cpu_limit(pressure.cpu_limit);
    rank.seen->set_memory_stalled_s(pressure.memory_stalled_s.value_or(0));
    rank.seen->set_io_stalled_s(pressure.io_stalled_s.value_or(0));
    if (!pressure.memory_stalled_s) {
        add_unseen(*rank.seen, "memory_stalled_s", "the kernel does not count stalls");
    } else if (pressure.of_the_node) {
        add_unseen(*rank.seen, "memory_stalled_s", "of the whole node: no group counts stalls");
    }
}

void Look::add_stacks(bool native) {
    std::vector<StackRequest> requests;
    std::vector<wire::RankInspection*> seen_of;
    for (auto& rank : ranks_) {
        if (rank.stack.pid > 0) {  // it has not ended
            rank.stack.native = native;
            requests.push_back(rank.stack);
            seen_of.push_back(rank.seen);
        }
    }
    const auto stacks = read_stacks(requests, stop_);
    for (std::size_t i = 0; i < stacks.size(); ++i) {
        auto& seen = *seen_of[i];
        for (const auto& frame : stacks[i].python) {
            seen.add_python_stack(frame);
        }
        for (const auto& frame : stacks[i].native) {
            seen.add_native_stack(frame);
        }
        seen.set_python_stack_from(stacks[i].python_from);
        for (const auto& [what, why] : stacks[i].unseen) {
            add_unseen(seen, what, why);
        }
    }
}

void Look::add_series(std::uint32_t samples, double seconds) {
    std::vector<SeriesTarget> targets;
    for (const auto& rank : ranks_) {
        if (rank.seen->pid() == 0) {
            continue;  // it has ended
        }
        SeriesTarget target{rank.works, rank.tree, table_.tree_of(rank.works),
                            {},         {},        rank.seen->mutable_series()};
        target.helpers.erase(target.helpers.begin());  // the process itself
        target.mounts = mounts_of(ProcFolder(path_of(rank.works)));
        std::vector<std::pair<double, int>> threads;
        for (const auto& thread : rank.seen->threads()) {
            if (thread.tid() != rank.works) {
                threads.emplace_back(thread.cpu_s(), static_cast<int>(thread.tid()));
            }
        }
        std::sort(threads.rbegin(), threads.rend());
        for (const auto& [cpu, thread] : threads) {
            target.threads.push_back(thread);
        }
        targets.push_back(std::move(target));
    }
    take_series(targets, samples, seconds, table_, stop_);
}

bool Look::set_blocked(wire::RankInspection& seen, pid_t pid, const ProcFolder& process,
                       const ThreadLook& thread, bool memory, bool only_files) {
    const auto& mounts = mounts_of(process);
    const auto blocked = thread.call ? blocked_file_of(pid, process, *thread.call, mounts, memory)
                                     : served_file_of(process, thread.state.wait_channel(), mounts);
    if (only_files && (!blocked.on_a_file_system() || blocked.file.starts_with("/dev/"))) {
        return false;
    }
    seen.set_blocked_file(as_utf8(blocked.file));
    seen.set_blocked_file_system(as_utf8(blocked.file_system));
    seen.set_blocked_source(as_utf8(blocked.source));
    seen.set_blocked_socket(static_cast<std::int64_t>(blocked.socket));
    seen.set_blocked_pid(blocked.file.empty() && blocked.file_system.empty() ? 0 : thread.state.tid());
    if (!thread.call && blocked.on_a_file_system()) {
        add_unseen(seen, "blocked_file", "inferred from what it has open");
    }
    return true;
}

// The main thread's; else that of a thread in uninterruptible sleep; else that of a process which the rank waits for,
// a data loader.
void Look::add_blocked_file(const Rank& rank, const ProcFolder& process,
                            const std::vector<ThreadLook>& threads, bool traceable) {
    auto& seen = *rank.seen;
    if (threads.empty() || set_blocked(seen, rank.works, process, threads.front(), traceable, true)) {
        return;
    }
    for (const auto& thread : threads) {
        if ((thread.state.state() == "D" || !thread.call) &&
            set_blocked(seen, rank.works, process, thread, false, true)) {
            return;
        }
    }
    const auto helpers = table_.tree_of(rank.works);
    for (std::size_t i = 1; i < std::min(helpers.size(), kMostHelpers); ++i) {
        const ProcFolder helper(path_of(helpers[i]));
        int denied = 0;
        for (const auto& thread : look_at_threads(helpers[i], helper, 1, denied)) {
            if (set_blocked(seen, helpers[i], helper, thread, traceable && thread.state.state() != "D",
                            true)) {
                return;
            }
        }
    }
    set_blocked(seen, rank.works, process, threads.front(), traceable, false);
}

const std::vector<Mount>& Look::mounts_of(const ProcFolder& process) {
    const auto name = process.link("ns/mnt");
    const auto known = mounts_.find(name);
    return known != mounts_.end()
               ? known->second
               : mounts_.emplace(name, parse_mountinfo(process.read("mountinfo"))).first->second;
}

std::set<int> wanted_ranks(const wire::InspectRanks& request) {
    return {request.ranks().begin(), request.ranks().end()};
}

}  // namespace

wire::RankInspections inspect_ranks(const NodePaths& paths, const wire::InspectRanks& request,
                                    const std::stop_token& stop) {
    wire::RankInspections result;
    if (!is_safe_name(request.run_id())) {
        return result;
    }
    const RunDir run{paths.run(request.run_id())};
    Look look(result, stop);
    const auto wanted = wanted_ranks(request);
    std::error_code ignored;
    const bool shared = std::filesystem::exists(run.node(0).dir, ignored);
    if (!shared) {
        look.add_folder(run, false, wanted);
    }
    for (int node = 0; shared && std::filesystem::exists(run.node(node).dir, ignored); ++node) {
        look.add_folder(run.node(node), true, wanted);
    }
    look.finish(request.stacks(), request.native_stacks());
    if (request.samples() > 0) {
        look.add_series(request.samples(), request.spread_s());
    }
    for (const int rank : wanted) {
        const auto& ranks = result.ranks();
        if (std::none_of(ranks.begin(), ranks.end(), [&](const auto& seen) { return seen.rank() == rank; })) {
            auto* unseen = result.add_unseen();
            unseen->set_what("ranks." + std::to_string(rank));
            unseen->set_why("not of this node");
        }
    }
    return result;
}

}  // namespace rankscope::agent
