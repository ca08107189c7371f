// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <base/clock.h>
#include <base/wait_fd.h>
#include <remote/agent/link/peer_link.h>

#include <poll.h>

#include <algorithm>
#include <cerrno>

namespace rankscope::agent {
namespace {

constexpr double kBeat = 1;
constexpr double kOwnGap = 3;  // we did not run for so long: the others' silence was ours
constexpr double kGoodbyeWithin = 1;
constexpr double kDialAgainFirst = 1;  // before the first link

}  // namespace

PeerLink::PeerLink(Options options) : options_(std::move(options)), peers_(options_.nodes.size()) {}

PeerLink::~PeerLink() {
    leave();
}

void PeerLink::start() {
    if (!thread_.joinable()) {
        thread_ = std::thread([this] { loop(); });
    }
}

std::vector<PeerLink::News> PeerLink::take_news() {
    news_wake_.clear();
    const std::lock_guard lock(mutex_);
    return std::exchange(news_, {});
}

void PeerLink::report(News news) {
    {
        const std::lock_guard lock(mutex_);
        news_.push_back(std::move(news));
    }
    news_wake_.wake();
}

void PeerLink::post(const wire::Cause& cause) {
    {
        const std::lock_guard lock(mutex_);
        outbox_.push_back(cause);
    }
    wake_.wake();
}

void PeerLink::post(const wire::PeerRankState& state) {
    {
        const std::lock_guard lock(mutex_);
        posted_states_.push_back(state);
    }
    wake_.wake();
}

void PeerLink::ready(std::uint32_t attempt) {
    {
        const std::lock_guard lock(mutex_);
        posted_ready_ = attempt;
    }
    wake_.wake();
}

void PeerLink::finished() {
    {
        const std::lock_guard lock(mutex_);
        posted_finished_ = true;
    }
    wake_.wake();
}

bool PeerLink::needed() const {
    const std::lock_guard lock(mutex_);
    return needed_;
}

bool PeerLink::complete() const {
    const std::lock_guard lock(mutex_);
    return complete_;
}

bool PeerLink::unsettled() const {
    const std::lock_guard lock(mutex_);
    return unsettled_ || (thread_.joinable() && !outbox_.empty());
}

void PeerLink::leave() {
    if (!thread_.joinable()) {
        return;
    }
    {
        const std::lock_guard lock(mutex_);
        leaving_ = true;
    }
    wake_.wake();
    thread_.join();
}

void PeerLink::loop() {
    double before = monotonic_s();
    for (;;) {
        wait(monotonic_s());
        wake_.clear();
        const double now = monotonic_s();
        if (now - before > kOwnGap) {  // this machine slept, or this process was stopped
            for (auto& peer : peers_) {
                peer.heard = now;
                peer.lost = peer.lost > 0 ? now : 0;
            }
        }
        before = now;
        accept_some(now);
        leave_silent_link(now);
        dial(now);
        read_pending(now);
        read_peers(now);
        take_posted_states(now);
        forward_causes(now);
        take_posted();
        go_if_all_are_ready();
        conclude(now);
        beat(now);
        bool leaving = false;
        {
            const std::lock_guard lock(mutex_);
            leaving = leaving_ && outbox_.empty();
            needed_ = false;
            unsettled_ = now < awaits_hub_until_;
            complete_ = hub() ? std::all_of(peers_.begin() + 1, peers_.end(),
                                            [](const Peer& peer) { return peer.linked; })
                              : peers_[0].linked;
            for (std::size_t i = 0; i < peers_.size(); ++i) {
                const bool present = peers_[i].linked && !peers_[i].over;
                const bool at_work = hub() ? !peers_[i].finished : options_.restarts;
                needed_ = needed_ || (present && at_work && !cause_);
                unsettled_ = unsettled_ || (present && may_be_consequence_of(i));
            }
        }
        for (auto& peer : peers_) {
            if (peer.channel) {
                peer.channel->flush();
            }
        }
        if (leaving) {
            return say_goodbye();
        }
    }
}

void PeerLink::wait(double now) {
    std::vector<pollfd> fds{{wake_.fd(), POLLIN, 0}};
    const auto add = [&fds](const PeerChannel& channel) {
        fds.push_back(
            {channel.fd(), static_cast<short>(POLLIN | (channel.wants_to_write() ? POLLOUT : 0)), 0});
    };
    if (listener_) {
        fds.push_back({listener_.get(), POLLIN, 0});
    }
    if (dialing_.fd) {
        fds.push_back({dialing_.fd.get(), POLLOUT, 0});
    }
    for (const auto& pending : pending_) {
        add(pending.channel);
    }
    bool urgent = false;
    for (const auto& peer : peers_) {
        urgent = urgent || (peer.lost > 0 && !peer.over);
        if (peer.channel) {
            add(*peer.channel);
        }
    }
    const double until = std::max(0.0, next_beat_ - now);
    const double wait_s = urgent || (!hub() && !peers_[0].channel) ? std::min(until, 0.1) : until;
    wait_any(fds, std::min(wait_s, kBeat));
}

void PeerLink::read_peers(double now) {
    for (std::size_t i = 0; i < peers_.size(); ++i) {
        Peer& peer = peers_[i];
        if (!peer.channel) {
            continue;
        }
        const auto messages = peer.channel->read();
        if (!messages.empty()) {
            peer.lost = 0;
        }
        if (!messages.empty() && !peer.linked) {  // the hub has proven itself
            peer.linked = true;
            peer.heard = now;
        }
        for (const auto& message : messages) {
            take(i, message);
        }
        if (peer.channel && peer.channel->state() != PeerChannel::State::Open) {
            link_lost(peer, now);
        }
    }
}

void PeerLink::take(std::size_t index, const wire::PeerMessage& message) {
    Peer& peer = peers_[index];
    if (message.has_beat()) {
        peer.its_beat = message.beat().number();
        if (message.beat().heard() > peer.confirmed) {
            peer.confirmed = message.beat().heard();
            peer.heard = monotonic_s();
        }
    } else if (message.has_bye()) {
        peer.over = true;
    } else if (message.has_ready() && hub()) {
        take_ready(peer, message.ready());
    } else if (message.has_go() && !hub()) {
        if (message.go().attempt() == own_ready_ && waits_to_restart()) {
            begin_attempt(message.go().attempt());
        }
    } else if (message.has_rank_state()) {
        take_rank_state(message.rank_state(), monotonic_s());
        for (std::size_t i = 0; hub() && i < peers_.size(); ++i) {
            if (i != index && peers_[i].channel) {
                peers_[i].channel->send(message);
            }
        }
    } else if (message.has_down() && message.down().attempt() == attempt_) {
        take_down(index, message.down(), monotonic_s());
    }
}

void PeerLink::take_posted() {
    std::uint32_t ready = 0;
    bool done = false;
    {
        const std::lock_guard lock(mutex_);
        ready = posted_ready_;
        done = std::exchange(posted_finished_, false);
    }
    const bool news = ready > own_ready_ || (done && !own_finished_);
    own_ready_ = std::max(own_ready_, ready);
    own_finished_ = own_finished_ || done;
    if (news && !hub()) {
        send_ready(peers_[0]);
    }
}

void PeerLink::begin_attempt(std::uint32_t attempt) {
    attempt_ = attempt;
    own_finished_ = false;
    cause_.reset();
    stopped_.clear();
    awaits_hub_until_ = 0;
    News news;
    news.go = attempt;
    report(std::move(news));
}

void PeerLink::link_lost(Peer& peer, double now) {
    peer.closed = peer.channel->state() == PeerChannel::State::Closed;
    if (!peer.linked && peer.channel->state() == PeerChannel::State::Refused) {
        dial_failed(EPROTO, now);  // another program answered there
    }
    peer.channel.reset();
    if (peer.lost <= 0) {
        peer.lost = now;
    }
    next_dial_ = peer.linked ? now : now + kDialAgainFirst;
}

void PeerLink::beat(double now) {
    if (now < next_beat_) {
        return;
    }
    next_beat_ = now + kBeat;
    for (auto& peer : peers_) {
        if (peer.channel) {
            wire::PeerMessage message;
            message.mutable_beat()->set_number(++peer.beats);
            message.mutable_beat()->set_heard(peer.its_beat);
            peer.channel->send(message);
        }
    }
}

void PeerLink::say_goodbye() {
    wire::PeerMessage bye;
    bye.mutable_bye();
    const double until = monotonic_s() + kGoodbyeWithin;
    for (auto& peer : peers_) {
        if (peer.channel) {
            peer.channel->send(bye);
        }
    }
    for (auto& peer : peers_) {
        while (peer.channel && peer.channel->state() == PeerChannel::State::Open) {
            peer.channel->flush();
            if (!peer.channel->wants_to_write() || monotonic_s() > until) {
                break;
            }
            wait_fd(peer.channel->fd(), POLLOUT, until);
        }
        peer.channel.reset();
    }
    pending_.clear();
    listener_.reset();
    dialing_.fd.reset();
}

}  // namespace rankscope::agent
