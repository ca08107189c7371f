// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <remote/agent/node/command.h>
#include <remote/agent/slurm/slurm_job.h>
#include <remote/agent/spool/spool.h>
#include <remote/wire/frames.pb.h>

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace rankscope::agent {

/// On the login node: follows a job of Slurm for one desk. Asks scontrol for its state now and then (never
/// more than once a second, every ten seconds once it is old), and reads the spools that the supervisors
/// write in the run's shared folder. Blocks nowhere.
class SlurmWatch {
public:
    using Send = std::function<void(const wire::Reply&)>;

    /// `inotify`: reports changes in the run's folder, so that events come at once where the file system
    /// reports them (one shared over a network does not: it is read once a second). `loop` outlives the watch
    /// and is woken by the programs that it starts; step() follows each round.
    SlurmWatch(const wire::AttachSlurm& attach, SlurmDir dir, std::uint64_t job_id, int inotify,
               EventLoop& loop);

    /// Does what is due; `room` says whether the desk takes more now.
    void step(const std::function<bool()>& room, const Send& send);
    bool over() const { return over_; }

private:
    struct Node {
        std::string name;
        RunDir dir;
        std::optional<SpoolReader> reader;
        std::uint64_t from_seq = 1;
        bool ended = false;
    };

    void ask();
    void take_answer(const Send& send);
    void ask_nodes();
    void take_nodes(const Send& send);
    void look_for_allocation(const Send& send);
    void stream(Node& node, const std::function<bool()>& room, const Send& send);
    void close_what_is_left();
    bool all_ended() const;
    void finish(const Send& send);
    void send_state(const Send& send);

    std::string run_id_;
    SlurmDir dir_;
    int inotify_;
    EventLoop* loop_;
    std::map<std::string, std::uint64_t> from_;
    wire::SlurmState state_;
    std::string sent_;
    std::optional<Command> command_;
    std::optional<Command> node_command_;  ///< sinfo: which nodes Slurm does not use
    std::string nodes_asked_for_;          ///< state and reason for which it was asked last
    bool accounting_ = false;              ///< command_ is sacct, not scontrol
    bool accounted_ = false;
    double began_;
    double next_ask_ = 0;
    double final_since_ = 0;  ///< 0: Slurm has not reported its end
    double ended_since_ = 0;  ///< 0: not all supervisors have ended
    std::vector<Node> nodes_;
    bool over_ = false;
};

}  // namespace rankscope::agent
