// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <base/child_process.h>
#include <remote/agent/container/container_socket.h>
#include <remote/agent/node/agent_failure.h>
#include <remote/agent/node/node_paths.h>
#include <remote/agent/ranks/rank_process.h>
#include <remote/wire/frames.pb.h>

#include <poll.h>
#include <sys/types.h>

#include <map>
#include <memory>
#include <string>
#include <vector>

namespace rankscope::agent {

/// The container in which the ranks of this node run: one for all of them, or one that runs already. Its first process
/// is an agent (container_init.h), which starts the ranks there and passes their pipes on; the supervisor speaks with it
/// over a socket in the run's folder. Part of the supervisor, on its thread.
class NodeContainer {
public:
    /// Waits until it has started, at most kStartWithin. The run's folder holds the spec already.
    static AgentResult<std::unique_ptr<NodeContainer>> start(const wire::StartRun& run, const RunDir& dir,
                                                             const NodePaths& paths);
    static constexpr double kStartWithin = 120;

    NodeContainer(const NodeContainer&) = delete;
    NodeContainer& operator=(const NodeContainer&) = delete;
    ~NodeContainer();

    /// For StartProgram. The process id is the node's, also where the container has its own.
    AgentResult<pid_t> start_rank(const RankProcess& rank, int out, int err);
    /// To everything that runs in it but its first process, whoever it belongs to.
    void signal_all(int signal);
    /// To one rank, by its process id on the node.
    void signal_rank(pid_t pid, int signal);

    void add_to(std::vector<pollfd>& fds) const;
    struct Change {
        pid_t pid = 0;   ///< of a rank, on the node
        int status = 0;  ///< as of wait(2): it ended, was stopped, or continues
    };
    /// Ends, stops and continues of ranks since the last call. When the container is gone, its ranks were ended by SIGKILL.
    std::vector<Change> take();
    /// It ended before close(). What its runtime said of that: `last_words()`.
    bool is_gone() const { return gone_; }
    std::string last_words();
    /// Of the Python environment in it, for the user; empty: nothing.
    const std::string& note() const { return note_; }

    /// Ends it, with everything in it; returns when its runtime has, or after `seconds`.
    void close(double seconds);

private:
    NodeContainer(wire::Container container, std::string name, ChildProcess client, bool native);

    AgentResult<void> await_ready(const UniqueFd& listener);
    AgentFailure start_failure();
    pid_t node_pid(pid_t inside) const;
    void read_client();
    bool await_end(double seconds);

    wire::Container container_;
    std::string name_;     ///< of the container
    bool native_ = false;  ///< its ranks are of our own engine
    ChildProcess client_;  ///< of the runtime
    std::string said_;     ///< by the client, its end
    ContainerSocket socket_;
    pid_t init_ = 0;  ///< of its first process, on the node
    std::string note_;
    struct Rank {
        pid_t inside = 0;
        bool ended = false;
    };
    std::map<pid_t, Rank> ranks_;  ///< by process id on the node
    std::vector<Change> changes_;
    bool gone_ = false;
};

/// Of a run's container on this node, by the run and the node's place in it.
std::string container_name(const wire::StartRun& run);
/// Where a supervisor died: removes what its container may have left. Runs the runtime; waits at most 10 seconds.
void remove_container(const wire::StartRun& run);

/// The process id that a process has in its own PID namespace, from the text of /proc/PID/status ("NSpid:"); 0: not said.
pid_t innermost_pid(const std::string& status);

}  // namespace rankscope::agent
