// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <base/clock.h>
#include <base/fd.h>
#include <remote/desk/nodes/session/agent_failures.h>
#include <remote/desk/nodes/session/agent_link.h>
#include <remote/desk/nodes/session/agent_script.h>
#include <remote/desk/nodes/session/node_facts.h>
#include <remote/desk/shared/text.h>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <vector>

namespace rankscope::inline nodes {
namespace {

constexpr const char* kContext = "AgentLink";
constexpr double kGreetingTimeout = 30;
constexpr int kPumpMs = 1000;
constexpr std::size_t kPiece = 64U << 10U;
// What a node may make this computer keep, whatever it sends.
constexpr std::size_t kMostText = 64U << 10U;
constexpr std::size_t kMostUnasked = 32U << 20U;
constexpr std::size_t kMostReplies = 256;

// The end of what a command printed: nothing more is worth reading.
void keep_tail(std::string& text_so_far) {
    if (text_so_far.size() > 2 * kMostText) {
        text_so_far.erase(0, text_so_far.size() - kMostText);
    }
}

// What is left on the error stream of a command that has ended. It may be endless.
void drain_errors(Channel& channel, std::string& errors) {
    constexpr int kMostReads = 64;
    for (int i = 0; i < kMostReads && channel.read_error(errors) == Channel::Read::Data; ++i) {
        keep_tail(errors);
    }
}

constexpr std::string_view kSystem = "Linux ";  // before the processor, in what uname -sm prints

}  // namespace

AgentLink::AgentLink(NodeSpec node, std::unique_ptr<Transport> transport, const WakeFd& wake,
                     std::stop_token stop)
    : node_(std::move(node)), transport_(std::move(transport)), wake_(&wake), stop_(std::move(stop)) {}

Result<std::unique_ptr<AgentLink>> AgentLink::open(const NodeSpec& node, std::unique_ptr<Transport> transport,
                                                   const WakeFd& wake, std::stop_token stop,
                                                   const Progress& progress) {
    std::unique_ptr<AgentLink> link(
        new AgentLink(node, std::move(transport), wake, std::move(stop)));  // NOLINT: private constructor
    if (auto started = link->start(progress); !started) {
        return started.failure();
    }
    return link;
}

Result<void> AgentLink::start(const Progress& progress) {
    auto agent = find_agent_binary();
    if (!agent) {
        return agent.failure();
    }
    auto attempt = try_start(*agent, progress);
    if (attempt && !attempt->greeted && attempt->system != std::string(kSystem) + own_machine()) {
        agent = agent_for(attempt->system);
        if (!agent) {
            return agent.failure();
        }
        attempt = try_start(*agent, progress);
    }
    if (!attempt) {
        return attempt.failure();
    }
    if (attempt->greeted) {
        return {};
    }
    if (auto pushed = push_agent(*agent, progress); !pushed) {
        return pushed;
    }
    attempt = try_start(*agent, progress);
    if (!attempt) {
        return attempt.failure();
    }
    if (!attempt->greeted) {
        return Failure{
            "agent-vanished", node_.name, text(kContext, "The agent was pushed, but is not there."),
            text(kContext, "Is the cache folder cleaned by another program? Set cache_dir: for this node."),
            ""};
    }
    return {};
}

Result<AgentBinary> AgentLink::agent_for(const std::string& system) const {
    if (!system.starts_with(kSystem)) {
        return Failure{"agent-architecture", node_.name,
                       text(kContext, "The node is \"%1\": Rankscope's agent runs on Linux.", {system}), "",
                       ""};
    }
    auto agent = find_agent_binary(system.substr(kSystem.size()));
    if (!agent) {
        agent.failure().where = node_.name;
    }
    return agent;
}

Result<AgentLink::Attempt> AgentLink::try_start(const AgentBinary& agent, const Progress& progress) {
    auto channel = transport_->exec(start_agent_script(agent, node_.cache_dir));
    if (!channel) {
        return channel.failure();
    }
    channel_ = std::move(*channel);
    GreetingSkipper greeting;
    std::string errors;
    const double started = monotonic_s();
    const double deadline = started + kGreetingTimeout;
    for (;;) {
        std::string bytes;
        std::string rest;
        const auto read = channel_->read(bytes);
        channel_->read_error(errors);
        keep_tail(errors);
        if (greeting.feed(bytes, rest)) {
            frames_ = FrameReader();
            frames_.feed(rest);
            errors_ = errors;
            alive_ = true;
            note_shell_time(started);
            take_replies();
            return Attempt{.greeted = true};
        }
        if (read == Channel::Read::Closed) {
            drain_errors(*channel_, errors);
            break;
        }
        wake_->clear();  // or every wait below would return at once
        if (stop_.stop_requested()) {
            return cancelled(node_.name);
        }
        const double left = deadline - monotonic_s();
        if (left <= 0) {
            return Failure{
                "agent-timeout", node_.name,
                text(kContext, "The login shell did not start the agent within %1 s.",
                     {std::to_string(static_cast<int>(kGreetingTimeout))}),
                text(kContext,
                     "A slow or waiting ~/.bashrc or ~/.profile is the usual cause: try `ssh %1 true`.",
                     {node_.host}),
                greeting.noise() + errors};
        }
        if (progress && monotonic_s() - started > kSlowShell) {
            progress(text(kContext, "slow login shell: %1 s, no byte yet",
                          {std::to_string(static_cast<int>(monotonic_s() - started))}),
                     -1);
        }
        if (read == Channel::Read::Nothing) {
            channel_->wait(false, static_cast<int>(std::min(left, 1.0) * 1000) + 1, wake_->fd());
        }
    }
    const auto status = channel_->exit_status();
    channel_.reset();
    note_shell_time(started);
    const std::string& output = greeting.noise();
    const auto marker = output.find(kNeedAgentMarker);
    if (status == kExitNeedAgent && marker != std::string::npos) {
        const auto begin = marker + std::string_view(kNeedAgentMarker).size();
        return Attempt{.system = output.substr(begin, output.find('\n', begin) - begin)};
    }
    return explain_agent_start(node_, status.value_or(-1), output, errors);
}

// The first start counts: a second one, after a push, finds everything in memory.
void AgentLink::note_shell_time(double begin) {
    shell_s_ = shell_s_ > 0 ? shell_s_ : monotonic_s() - begin;
}

Result<void> AgentLink::push_agent(const AgentBinary& agent, const Progress& progress) {
    // Piece by piece: many links push at the same time.
    const UniqueFd file(::open(agent.file.c_str(), O_RDONLY | O_CLOEXEC));
    struct stat found {};
    if (!file || ::fstat(file.get(), &found) != 0 || static_cast<std::size_t>(found.st_size) != agent.size) {
        return Failure{"incomplete-install", "", text(kContext, "%1 cannot be read.", {agent.file.string()}),
                       "", ""};
    }
    std::vector<char> piece(kPiece);
    auto channel = transport_->exec(receive_agent_script(agent, node_.cache_dir));
    if (!channel) {
        return channel.failure();
    }
    std::string output;
    std::string errors;
    std::size_t sent = 0;
    for (;;) {
        const auto read = (*channel)->read(output);
        (*channel)->read_error(errors);
        keep_tail(output);
        keep_tail(errors);
        if (read == Channel::Read::Closed) {
            break;
        }
        wake_->clear();  // or every wait below would return at once
        if (stop_.stop_requested()) {
            return cancelled(node_.name);
        }
        if (sent < agent.size) {
            const auto got = ::pread(file.get(), piece.data(), piece.size(), static_cast<off_t>(sent));
            const auto put =
                got > 0 ? (*channel)->write(std::string_view(piece.data(), static_cast<std::size_t>(got)))
                        : -1;
            if (put < 0) {
                sent = agent.size;  // the script has ended early: its exit status says why
            } else {
                sent += static_cast<std::size_t>(put);
            }
            if (progress) {
                progress(text(kContext, "pushing the agent"),
                         static_cast<double>(sent) / static_cast<double>(agent.size));
            }
            if (sent == agent.size) {
                (*channel)->close_input();
            }
            if (put > 0) {
                continue;
            }
        }
        (*channel)->wait(sent < agent.size, kPumpMs, wake_->fd());
    }
    drain_errors(**channel, errors);
    const auto status = (*channel)->exit_status();
    return status == 0 ? Result<void>() : explain_agent_start(node_, status.value_or(-1), output, errors);
}

std::uint64_t AgentLink::send(wire::Request request) {
    request.set_id(next_id_++);
    append_frame(unsent_, request.SerializeAsString());
    pump(0);
    return request.id();
}

// Answers to questions that were not asked: few things wait for one at a time.
bool AgentLink::too_many_replies() const {
    std::size_t bytes = 0;
    for (const auto& [id, reply] : replies_) {
        bytes += reply.ByteSizeLong();
    }
    return replies_.size() > kMostReplies || bytes > kMostUnasked;
}

void AgentLink::take_replies() {
    while (const auto payload = frames_.next()) {
        wire::Reply reply;
        // An agent sends no empty message. Zeros are a stream of empty frames.
        if (payload->empty()) {
            foreign_ = true;
            break;
        }
        if (!reply.ParseFromArray(payload->data(), static_cast<int>(payload->size()))) {
            continue;
        }
        const auto id = reply.id();
        if (id == 0) {
            unasked_bytes_ += payload->size() + sizeof reply;
            unasked_.push_back(std::move(reply));
        } else if (ignored_.erase(id) == 0) {
            replies_.insert_or_assign(id, std::move(reply));
            foreign_ = foreign_ || too_many_replies();
        }
    }
    if (frames_.damaged() || foreign_) {
        alive_ = false;
        errors_ += text(kContext, "the stream from the agent is damaged");
    }
}

void AgentLink::pump(int timeout_ms) {
    if (!alive_) {
        return;
    }
    bool moved = false;
    while (!unsent_.empty()) {
        const auto put = channel_->write(unsent_);
        if (put <= 0) {
            alive_ = alive_ && put == 0;
            break;
        }
        unsent_.erase(0, static_cast<std::size_t>(put));
        moved = true;
    }
    std::string bytes;
    // A bounded number of reads: a node that floods must not keep us from writing a stop. And none at all
    // while too much waits to be taken: the rest stays on the node.
    const int rounds = unasked_bytes_ < kMostUnasked ? 16 : 0;
    for (int round = 0; round < rounds; ++round) {
        const auto read = channel_->read(bytes);
        if (read == Channel::Read::Closed) {
            alive_ = false;
        }
        if (read != Channel::Read::Data) {
            break;
        }
        moved = true;
    }
    channel_->read_error(errors_);
    keep_tail(errors_);
    frames_.feed(bytes);
    take_replies();
    if (!moved && alive_ && timeout_ms > 0) {
        channel_->wait(!unsent_.empty(), timeout_ms, wake_->fd());
    }
}

std::optional<Result<wire::Reply>> AgentLink::poll(std::uint64_t id) {
    const auto found = replies_.find(id);
    if (found == replies_.end()) {
        return std::nullopt;
    }
    wire::Reply reply = std::move(found->second);
    replies_.erase(found);
    if (reply.has_failure()) {
        return explain_agent_failure(node_, reply.failure());
    }
    return reply;
}

Result<wire::Reply> AgentLink::receive(std::uint64_t id, double timeout_s) {
    const double deadline = monotonic_s() + timeout_s;
    for (;;) {
        if (auto reply = poll(id)) {
            return std::move(*reply);
        }
        if (!alive_) {
            return lost();
        }
        wake_->clear();  // or every wait below would return at once
        if (stop_.stop_requested()) {
            return cancelled(node_.name);
        }
        const double left = deadline - monotonic_s();
        if (left <= 0) {
            alive_ = false;
            return Failure{"agent-silent", node_.name,
                           text(kContext, "The agent did not answer within %1 s.",
                                {std::to_string(static_cast<int>(timeout_s))}),
                           text(kContext, "Check the node's load and the network."), ""};
        }
        pump(static_cast<int>(std::min(left, 1.0) * 1000) + 1);
    }
}

Result<wire::Reply> AgentLink::call(wire::Request request, double timeout_s) {
    return receive(send(std::move(request)), timeout_s);
}

std::optional<wire::Reply> AgentLink::next(int timeout_ms) {
    if (unasked_.empty()) {
        pump(0);
    }
    if (unasked_.empty()) {
        pump(timeout_ms);
        pump(0);
    }
    if (unasked_.empty()) {
        return std::nullopt;
    }
    wire::Reply reply = std::move(unasked_.front());
    unasked_.pop_front();
    unasked_bytes_ =
        unasked_.empty() ? 0 : unasked_bytes_ - std::min(unasked_bytes_, sizeof reply + reply.ByteSizeLong());
    return reply;
}

Failure AgentLink::lost() const {
    return {"ssh-link-lost", node_.name, text(kContext, "The connection was lost."),
            text(kContext, "Check the network and the node; what runs there continues."), errors_};
}

}  // namespace rankscope::inline nodes
