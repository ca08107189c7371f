// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <base/clock.h>
#include <base/files.h>
#include <base/log.h>
#include <base/wait_fd.h>
#include <remote/agent/node/command.h>
#include <remote/agent/slurm/slurm_job.h>
#include <remote/agent/slurm/slurm_submit.h>
#include <remote/agent/slurm/slurm_supervise.h>
#include <remote/agent/spool/run_events.h>
#include <remote/agent/spool/spool.h>
#include <remote/agent/supervise/supervisor.h>
#include <remote/wire/frame_codec.h>

#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

namespace rankscope::agent {
namespace {

constexpr double kScontrolTimeout = 30;
constexpr double kCancelTimeout = 20;
constexpr double kTellAgain = 2;
constexpr int kTellRounds = 15;
constexpr unsigned kFirstPort = 10000;
constexpr unsigned kPorts = 20000;

/// Where this task is, as Slurm says in the environment.
struct Place {
    int node = -1;
    std::string job;
    std::string step;
    std::vector<std::string> hosts;
};

std::string variable(const char* name) {
    const char* value = std::getenv(name);
    return value != nullptr ? value : "";
}

int complain(const std::string& what) {
    log_message(LogLevel::Error, what);
    return 1;
}

std::vector<std::string> hostnames(const std::string& list) {
    auto command =
        Command::start({find_slurm_program("scontrol"), "show", "hostnames", list}, kScontrolTimeout);
    if (!command) {
        return {};
    }
    command->wait();
    std::vector<std::string> hosts;
    std::istringstream lines(command->output());
    for (std::string line; std::getline(lines, line);) {
        if (!line.empty()) {
            hosts.push_back(line);
        }
    }
    return hosts;
}

unsigned port_of(const wire::StartRun& run, const Place& place) {
    return run.master_port() != 0
               ? run.master_port()
               : kFirstPort + static_cast<unsigned>(std::strtoull(place.job.c_str(), nullptr, 10) % kPorts);
}

// What the desk could not know: its plan calls the nodes slurm[0], slurm[1], …
void fill(std::string& text, const wire::StartRun& run, const Place& place) {
    const std::string& here = place.hosts[static_cast<std::size_t>(place.node)];
    const std::array<std::pair<std::string, std::string>, 4> values{
        {{"{master_addr}", place.hosts.front()},
         {"{master_port}", std::to_string(port_of(run, place))},
         {"{address}", here},
         {"slurm[" + std::to_string(place.node) + ']', here}}};
    for (const auto& [name, value] : values) {
        for (auto at = text.find(name); at != std::string::npos; at = text.find(name, at + value.size())) {
            text.replace(at, name.size(), value);
        }
    }
}

// The node's part of the run: its own ranks, and the master where it is known now.
wire::StartRun part_of(const wire::StartRun& run, const Place& place) {
    wire::StartRun part = run;
    part.clear_ranks();
    part.add_peers(
        place
            .hosts[static_cast<std::size_t>(place.node)]);  // its own name, alone: no link of the supervisors
    part.set_peer_index(0);
    part.set_master_port(place.node == 0 ? port_of(run, place) : 0);
    const int each = static_cast<int>(run.slurm().ranks_per_node());
    for (int i = place.node * each; i < (place.node + 1) * each && i < run.ranks_size(); ++i) {
        auto* rank = part.add_ranks();
        *rank = run.ranks(i);
        for (auto& [key, value] : *rank->mutable_env()) {
            fill(value, run, place);
        }
        for (auto& word : *rank->mutable_argv()) {
            fill(word, run, place);
        }
        fill(*rank->mutable_event_folder(), run, place);
    }
    return part;
}

bool find_place(const wire::StartRun& run, Place& place, std::string& why) {
    const std::string list = variable("SLURM_STEP_NODELIST").empty() ? variable("SLURM_JOB_NODELIST")
                                                                     : variable("SLURM_STEP_NODELIST");
    place.job = variable("SLURM_JOB_ID");
    place.step = variable("SLURM_STEP_ID");
    place.node = variable("SLURM_NODEID").empty() ? -1 : std::atoi(variable("SLURM_NODEID").c_str());
    place.hosts = hostnames(list);
    if (place.job.empty() || place.node < 0) {
        why = "this is no task of a Slurm job";
    } else if (place.hosts.size() != run.slurm().nodes() ||
               place.node >= static_cast<int>(place.hosts.size())) {
        why = "scontrol show hostnames " + list + ": " + std::to_string(place.hosts.size()) + " hosts, not " +
              std::to_string(run.slurm().nodes());
    }
    return why.empty();
}

// What kept the ranks from being started, where the desk looks for it: in the spool.
void write_failure(const RunDir& node, const wire::StartRun& part, const wire::Failure& failure) {
    auto opened = SpoolWriter::open(node.spool());
    if (!opened) {
        complain(failure.code() + ": " + failure.detail() + "; " + opened.failure().detail);
        return;
    }
    SpoolWriter& spool = *opened;
    const std::string reason = failure.code() == "port-in-use"
                                   ? "port " + failure.args(0) + " is held by " + failure.detail()
                                   : failure.code() + ": " + failure.detail();
    if (const FailureId id = FailureId::from(failure.code());
        failure.args_size() > 0 && id.str() == failure.code()) {
        // Without a process to end: it may be another job's.
        add_notice(spool, -1, id, {failure.args(0), failure.detail()});
    }
    wire::Event exit;
    exit.set_rank(part.ranks_size() > 0 ? part.ranks(0).rank() : -1);
    exit.mutable_exit()->set_code(127);
    exit.mutable_exit()->set_reason(reason);
    spool.add(std::move(exit));
    wire::Event end;
    end.set_rank(-1);
    end.mutable_end()->set_outcome(wire::OUTCOME_FAILED);
    end.mutable_end()->set_detail(reason);
    spool.add(std::move(end));
    spool.flush();
}

/// How this node's part ended, for the other nodes.
struct PartEnd {
    wire::Outcome outcome = wire::OUTCOME_LOST;
    std::string cause;
    bool recorded = false;  ///< its spool has an end
};

PartEnd read_end(const RunDir& node, const std::string& host) {
    PartEnd end{wire::OUTCOME_LOST, host + ": its supervisor was killed"};
    SpoolReader spool(node.spool());
    wire::Event event;
    bool named = false;
    while (spool.is_open() && spool.next(event)) {
        if (event.has_exit() && !event.exit().requested() && event.exit().code() != 0 && !named) {
            named = true;
            end.cause = "rank " + std::to_string(event.rank()) + " on " + host + " ended";
        }
        if (event.has_end()) {
            end.outcome = event.end().outcome();
            end.recorded = true;
        }
    }
    return end;
}

bool others_have_ended(const RunDir& run, const Place& place) {
    for (int node = 0; node < static_cast<int>(place.hosts.size()); ++node) {
        if (node != place.node && !read_end(SlurmDir{run}.node(node), "").recorded) {
            return false;
        }
    }
    return true;
}

// Again and again until they have ended: a signal to a step of which not all tasks are up yet may be lost.
void notify_others(const RunDir& run, const Place& place, const std::string& cause) {
    write_file_atomically(SlurmDir{run}.failed(), cause);
    write_stop_cause(run, cause);
    for (int round = 0; round < kTellRounds && !others_have_ended(run, place); ++round) {
        auto command =
            Command::start({find_slurm_program("scancel"), "--signal=" + std::to_string(kSlurmStopSignal),
                            place.job + '.' + place.step},
                           kCancelTimeout);
        if (command) {
            command->wait();
        }
        const double until = monotonic_s() + kTellAgain;
        while (monotonic_s() < until && !others_have_ended(run, place)) {
            sleep_s(0.1);
        }
    }
}

void block_stop_signal() {
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, kSlurmStopSignal);
    ::sigprocmask(SIG_BLOCK, &set, nullptr);
}

// A stop whose signal came before this process could take it.
void take_earlier_stop(const SlurmDir& dir, const RunDir& node) {
    for (const auto& file : {dir.stopped(), dir.failed()}) {
        if (const auto cause = read_file(file)) {
            write_file_atomically(node.stop_cause(), *cause);
            ::raise(kSlurmStopSignal);  // blocked: it waits for the supervisor
            return;
        }
    }
}

}  // namespace

int slurm_supervise(const RunDir& run) {
    wire::StartRun whole;
    std::ifstream file(run.spec(), std::ios::binary);
    if (!whole.ParseFromIstream(&file) || !whole.has_slurm()) {
        return complain(run.spec().string() + " cannot be read");
    }
    block_stop_signal();
    Place place;
    std::string why;
    if (!find_place(whole, place, why)) {
        return complain(why);
    }
    const SlurmDir dir{run};
    const RunDir node = dir.node(place.node);
    if (::mkdir(node.dir.c_str(), 0700) != 0) {
        return complain(node.dir.string() + ": " + std::strerror(errno));
    }
    const wire::StartRun part = part_of(whole, place);
    int failed = write_file_atomically(node.spec(), part.SerializeAsString());
    if (failed == 0 && place.node == 0) {
        wire::SlurmAllocation allocation;
        for (const auto& host : place.hosts) {
            allocation.add_hosts(host);
        }
        allocation.set_master_port(port_of(whole, place));
        allocation.set_stop_signal(kSlurmStopSignal);
        failed = write_file_atomically(dir.allocation(), allocation.SerializeAsString());
    }
    if (failed != 0) {
        return complain(run.dir.string() + ": " + std::strerror(failed));
    }
    take_earlier_stop(dir, node);
    const UniqueFd ready(::memfd_create("ready", MFD_CLOEXEC));
    const NodePaths paths(run.dir.parent_path().parent_path());
    run_guarded_supervisor(node, paths, ::dup(ready.get()));
    std::string bytes(65536, '\0');
    const auto got = ::pread(ready.get(), bytes.data(), bytes.size(), 0);
    FrameReader frames;
    frames.feed({bytes.data(), static_cast<std::size_t>(std::max<ssize_t>(0, got))});
    wire::Reply reply;
    if (const auto payload = frames.next();
        payload && reply.ParseFromArray(payload->data(), static_cast<int>(payload->size())) &&
        reply.has_failure()) {
        write_failure(node, part, reply.failure());
    }
    const PartEnd end = read_end(node, place.hosts[static_cast<std::size_t>(place.node)]);
    if (end.outcome != wire::OUTCOME_DONE && end.outcome != wire::OUTCOME_STOPPED) {
        notify_others(run, place, end.cause);
    }
    return 0;
}

}  // namespace rankscope::agent
