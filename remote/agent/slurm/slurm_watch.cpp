// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <base/clock.h>
#include <base/files.h>
#include <remote/agent/node/forget_secrets.h>
#include <remote/agent/slurm/slurm_watch.h>
#include <remote/agent/supervise/supervisor.h>

#include <sys/inotify.h>

#include <algorithm>

namespace rankscope::agent {
namespace {

constexpr std::size_t kMaxBatch = 256U << 10U;
constexpr std::size_t kMaxTail = 4000;
constexpr double kAnswerTimeout = 30;
constexpr double kAskYoung = 1;  // in the first minute, and when it is about to end
constexpr double kAskOld = 10;   // later: a controller serves many
constexpr double kYoung = 60;
constexpr double kLateFiles = 5;     // a shared file system may show a file's end so much later
constexpr double kGiveUpFiles = 30;  // … or for ever, where its file system has no locks
constexpr int kMostUnfit = 8;        // that a sentence names
constexpr double kSlowEnd = 60;      // supervisors have ended, Slurm does not say so

std::string tail_of(const std::filesystem::path& file) {
    std::string content = read_file(file).value_or(std::string());
    if (content.size() > kMaxTail) {
        content.erase(0, content.find('\n', content.size() - kMaxTail) + 1);
    }
    return content;
}

}  // namespace

SlurmWatch::SlurmWatch(const wire::AttachSlurm& attach, SlurmDir dir, std::uint64_t job_id, int inotify,
                       EventLoop& loop)
    : run_id_(attach.run_id()), dir_(std::move(dir)), inotify_(inotify), loop_(&loop), began_(monotonic_s()) {
    for (const auto& node : attach.nodes()) {
        from_[node.node()] = node.from_seq();
    }
    state_.set_run_id(run_id_);
    state_.set_job_id(job_id);
    ::inotify_add_watch(inotify_, dir_.run.dir.c_str(), IN_MOVED_TO | IN_CREATE);
}

bool SlurmWatch::all_ended() const {
    return !nodes_.empty() &&
           std::all_of(nodes_.begin(), nodes_.end(), [](const Node& node) { return node.ended; });
}

void SlurmWatch::send_state(const Send& send) {
    wire::SlurmState compared = state_;
    compared.clear_elapsed();
    std::string text = compared.SerializeAsString();
    if (text != sent_) {
        sent_ = std::move(text);
        wire::Reply reply;
        *reply.mutable_slurm_state() = state_;
        send(reply);
    }
}

void SlurmWatch::ask() {
    const std::string id = std::to_string(state_.job_id());
    const double now = monotonic_s();
    next_ask_ = now + (now - began_ < kYoung || ended_since_ > 0 ? kAskYoung : kAskOld);
    const std::string program = find_slurm_program(accounting_ ? "sacct" : "scontrol");
    if (!program.empty()) {
        command_ =
            Command::start(accounting_ ? std::vector<std::string>{program, "-n", "-P", "-j", id, "-o",
                                                                  "JobID,State,ExitCode,Elapsed,MaxRSS"}
                                       : std::vector<std::string>{program, "-o", "show", "job", id},
                           kAnswerTimeout);
    }
    if (command_) {
        command_->wake(*loop_);
    } else {
        accounted_ = accounting_;
        state_.set_problem(program.empty() ? "scontrol was not found" : "scontrol could not be started");
    }
}

void SlurmWatch::take_answer(const Send& send) {
    Command answer = std::move(*command_);
    command_.reset();
    const std::string& text = answer.output();
    if (accounting_) {
        accounted_ = true;
        if (const auto reported = answer.status() == 0 ? parse_sacct(text) : std::nullopt;
            reported && slurm_state_is_final(reported->state())) {
            state_.MergeFrom(*reported);
        }
        return;
    }
    const auto reported = answer.status() == 0 ? parse_scontrol_job(text) : std::nullopt;
    if (reported) {
        const wire::SlurmState before = state_;
        state_ = *reported;
        state_.set_run_id(run_id_);
        if (before.has_allocation()) {
            *state_.mutable_allocation() = before.allocation();
        }
        *state_.mutable_unfit() = before.unfit();
    } else if (answer.errors().find("Invalid job id") != std::string::npos) {
        state_.set_state("FORGOTTEN");  // MinJobAge has passed: sacct, or the spools, know how it ended
        final_since_ = final_since_ > 0 ? final_since_ : monotonic_s();
    } else {
        state_.set_problem(answer.timed_out() ? "scontrol gave no answer" : answer.errors());
    }
    if (slurm_state_is_final(state_.state()) && final_since_ == 0) {
        final_since_ = monotonic_s();
    }
    send_state(send);
}

// Where a node is at fault: of its own nodes once one has failed, of its partition while it waits for one.
void SlurmWatch::ask_nodes() {
    const bool failed = state_.state() == "NODE_FAIL" || state_.state() == "BOOT_FAIL";
    const bool waits = state_.state() == "PENDING" && (state_.reason().starts_with("ReqNodeNotAvail") ||
                                                       state_.reason().starts_with("Nodes_required"));
    const std::string asked_for = state_.state() + ' ' + state_.reason();
    if ((!failed && !waits) || asked_for == nodes_asked_for_) {
        return;
    }
    nodes_asked_for_ = asked_for;
    std::string which;
    for (const auto& host : state_.allocation().hosts()) {
        which += (which.empty() ? "--nodes=" : ",") + host;
    }
    if (which.empty() && !state_.partition().empty()) {
        which = "--partition=" + state_.partition();
    }
    const std::string program = find_slurm_program("sinfo");
    if (!program.empty() && !which.empty()) {
        node_command_ = Command::start({program, "-h", "-N", which, "-o", "%N|%T|%E"}, kAnswerTimeout);
    }
    if (node_command_) {
        node_command_->wake(*loop_);
    }
}

void SlurmWatch::take_nodes(const Send& send) {
    Command answer = std::move(*node_command_);
    node_command_.reset();
    state_.clear_unfit();
    if (answer.status() == 0) {
        for (const auto& node : parse_unfit_nodes(answer.output())) {
            if (state_.unfit_size() < kMostUnfit) {
                *state_.add_unfit() = node;
            }
        }
    }
    send_state(send);
}

void SlurmWatch::look_for_allocation(const Send& send) {
    if (!nodes_.empty()) {
        return;
    }
    const auto allocation = read_allocation(dir_);
    if (!allocation) {
        return;
    }
    *state_.mutable_allocation() = *allocation;
    int index = 0;
    for (const auto& host : allocation->hosts()) {
        Node node;
        node.name = host;
        node.dir = dir_.node(index++);
        node.from_seq = std::max<std::uint64_t>(1, from_[host]);
        nodes_.push_back(std::move(node));
    }
    send_state(send);
}

void SlurmWatch::stream(Node& node, const std::function<bool()>& room, const Send& send) {
    if (!node.reader || node.reader->replaced()) {  // thinned: what was sent already is skipped by its number
        node.reader.emplace(node.dir.spool());
        if (!node.reader->is_open()) {
            node.reader.reset();
            return;
        }
        ::inotify_add_watch(inotify_, node.dir.spool().c_str(), IN_MODIFY);
    }
    while (!node.ended && room()) {
        wire::Reply reply;
        reply.mutable_events()->set_run_id(run_id_);
        reply.mutable_events()->set_node(node.name);
        std::size_t bytes = 0;
        wire::Event event;
        // Damage is looked behind once the job is over: before, it may be half of what is just being written.
        const bool keep_all = final_since_ > 0 && node.reader->damaged();
        while (bytes < kMaxBatch && (keep_all ? node.reader->next_kept(event) : node.reader->next(event))) {
            node.ended = node.ended || event.has_end();
            if (event.seq() >= node.from_seq) {
                bytes += event.ByteSizeLong();
                node.from_seq = event.seq() + 1;
                *reply.mutable_events()->add_events() = std::move(event);
            }
        }
        if (reply.events().events_size() == 0) {
            return;
        }
        send(reply);
    }
}

// Killed with the job (out of memory, its node, its time): their spools get the end that they could not
// write.
void SlurmWatch::close_what_is_left() {
    for (auto& node : nodes_) {
        std::error_code error;
        if (!node.ended && !std::filesystem::exists(node.dir.spec(), error)) {
            node.ended = true;  // never started there
        } else if (!node.ended && !close_abandoned_spool(node.dir)) {
            node.ended = monotonic_s() - final_since_ > kGiveUpFiles;
        }
    }
}

void SlurmWatch::finish(const Send& send) {
    std::error_code ignored;
    state_.set_stopped(std::filesystem::exists(dir_.stopped(), ignored));
    state_.set_over(true);
    state_.set_output_tail(tail_of(dir_.output()));
    send_state(send);
    forget_secrets(dir_.run);
    over_ = true;
}

void SlurmWatch::step(const std::function<bool()>& room, const Send& send) {
    if (over_) {
        return;
    }
    const double now = monotonic_s();
    if (command_) {
        if (command_->step()) {
            take_answer(send);
        }
    } else if (final_since_ == 0 && now >= next_ask_) {
        ask();
        send_state(send);
    }
    if (node_command_ && node_command_->step()) {
        take_nodes(send);
    } else if (!node_command_) {
        ask_nodes();
    }
    look_for_allocation(send);
    for (auto& node : nodes_) {
        if (!node.ended) {
            stream(node, room, send);
        }
    }
    if (ended_since_ == 0 && all_ended()) {
        ended_since_ = now;
        next_ask_ = std::min(next_ask_, now);
    }
    if (final_since_ > 0 && !all_ended() && now - final_since_ > kLateFiles && room()) {
        close_what_is_left();
    }
    const bool nothing_more = all_ended() || (nodes_.empty() && now - final_since_ > kLateFiles);
    const bool final = final_since_ > 0 || (ended_since_ > 0 && now - ended_since_ > kSlowEnd);
    if (!final || !nothing_more || command_ || node_command_) {
        return;
    }
    if (!accounting_) {
        accounting_ = true;
        ask();
    }
    if (accounted_) {
        finish(send);
    }
}

}  // namespace rankscope::agent
