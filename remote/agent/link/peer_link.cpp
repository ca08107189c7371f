// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <base/clock.h>
#include <base/metrics_line.h>
#include <remote/agent/link/peer_link.h>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstring>

namespace rankscope::agent {
namespace {

constexpr double kBeat = 1;
constexpr double kProveWithin = 5;
constexpr double kDialTimeout = 3;
constexpr double kDialAgain = 0.25;    // after a link that was there: it is urgent
constexpr double kDialAgainFirst = 1;  // before the first one
constexpr double kOwnGap = 3;          // we did not run for so long: the others' silence was ours
constexpr double kGoodbyeWithin = 1;
constexpr double kSameMoment = 1;
constexpr std::size_t kMaxPending = 64;

struct Address {
    sockaddr_storage storage{};
    socklen_t size = 0;
};

std::optional<Address> numeric(const std::string& text, std::uint16_t port) {
    Address address;
    auto* v4 = reinterpret_cast<sockaddr_in*>(&address.storage);
    auto* v6 = reinterpret_cast<sockaddr_in6*>(&address.storage);
    if (::inet_pton(AF_INET, text.c_str(), &v4->sin_addr) == 1) {
        v4->sin_family = AF_INET;
        v4->sin_port = htons(port);
        address.size = sizeof *v4;
        return address;
    }
    if (::inet_pton(AF_INET6, text.c_str(), &v6->sin6_addr) == 1) {
        v6->sin6_family = AF_INET6;
        v6->sin6_port = htons(port);
        address.size = sizeof *v6;
        return address;
    }
    return std::nullopt;
}

UniqueFd tcp_socket(int family) {
    UniqueFd fd(::socket(family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
    const int on = 1;
    ::setsockopt(fd.get(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    return fd;
}

bool bind_to(const UniqueFd& fd, const Address& address) {
    return fd && ::bind(fd.get(), reinterpret_cast<const sockaddr*>(&address.storage), address.size) == 0;
}

// On the address that the ranks of the run use, or, where it is a name or not of this machine, on all.
UniqueFd bound_socket(const std::string& text) {
    if (const auto address = numeric(text, 0)) {
        UniqueFd fd = tcp_socket(address->storage.ss_family);
        if (bind_to(fd, *address)) {
            return fd;
        }
    }
    UniqueFd both = tcp_socket(AF_INET6);
    const int off = 0;
    if (both && ::setsockopt(both.get(), IPPROTO_IPV6, IPV6_V6ONLY, &off, sizeof off) == 0 &&
        bind_to(both, *numeric("::", 0))) {
        return both;
    }
    UniqueFd v4 = tcp_socket(AF_INET);
    return bind_to(v4, *numeric("0.0.0.0", 0)) ? std::move(v4) : UniqueFd();
}

bool is_consequence(const wire::Cause& cause) {
    return cause.kind() == "rank-ended" && cause.exit().code() == kExitPeerLost;
}

wire::PeerMessage message_of(const wire::Cause& cause) {
    wire::PeerMessage message;
    *message.mutable_down() = cause;
    return message;
}

}  // namespace

PeerLink::PeerLink(Options options) : options_(std::move(options)), peers_(options_.nodes.size()) {}

PeerLink::~PeerLink() {
    leave();
}

std::uint16_t PeerLink::listen(const std::string& address, std::string& why) {
    listener_ = bound_socket(address);
    sockaddr_storage bound{};
    socklen_t length = sizeof bound;
    if (!listener_ || ::listen(listener_.get(), 64) != 0 ||
        ::getsockname(listener_.get(), reinterpret_cast<sockaddr*>(&bound), &length) != 0) {
        why = std::strerror(errno);
        listener_.reset();
        return 0;
    }
    return ntohs(bound.ss_family == AF_INET ? reinterpret_cast<sockaddr_in*>(&bound)->sin_port
                                            : reinterpret_cast<sockaddr_in6*>(&bound)->sin6_port);
}

void PeerLink::start() {
    if (!thread_.joinable()) {
        thread_ = std::thread([this] { loop(); });
    }
}

void PeerLink::connect(std::vector<std::string> addresses, std::uint16_t port) {
    if (thread_.joinable() || hub()) {
        return;
    }
    addresses_ = std::move(addresses);
    port_ = port;
    start();
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

void PeerLink::tell(const wire::Cause& cause) {
    {
        const std::lock_guard lock(mutex_);
        outbox_.push_back(cause);
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
        dial(now);
        read_pending(now);
        read_peers(now);
        forward_told();
        take_posted();
        go_if_all_are_ready();
        conclude(now);
        beat(now);
        bool leaving = false;
        {
            const std::lock_guard lock(mutex_);
            leaving = leaving_ && outbox_.empty();
            needed_ = false;
            unsettled_ = false;
            complete_ = hub() ? std::all_of(peers_.begin() + 1, peers_.end(),
                                            [](const Peer& peer) { return peer.linked; })
                              : peers_[0].linked;
            for (std::size_t i = 0; i < peers_.size(); ++i) {
                const bool there = peers_[i].linked && !peers_[i].over;
                const bool at_work = hub() ? !peers_[i].finished : options_.restarts;
                needed_ = needed_ || (there && at_work && !told_);
                unsettled_ = unsettled_ || (there && may_be_consequence_of(i));
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
    ::poll(fds.data(), fds.size(), static_cast<int>(std::ceil(std::min(wait_s, kBeat) * 1000)));
}

void PeerLink::accept_some(double now) {
    while (listener_) {
        UniqueFd fd(::accept4(listener_.get(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
        if (!fd) {
            return;
        }
        const int on = 1;
        ::setsockopt(fd.get(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
        if (pending_.size() >= kMaxPending) {
            pending_.erase(pending_.begin());  // strangers who only connect must not keep our own out
        }
        pending_.push_back(
            {PeerChannel(std::move(fd), PeerChannel::Side::Hub, options_.token, options_.run_id),
             now + kProveWithin});
        pending_.back().channel.flush();
    }
}

void PeerLink::read_pending(double now) {
    for (auto& pending : pending_) {
        const auto messages = pending.channel.read();
        pending.channel.flush();
        const bool hello = !messages.empty() && messages.front().has_hello();
        const std::size_t index = hello ? messages.front().hello().index() : 0;
        if (index == 0 || index >= peers_.size()) {
            pending.until =
                messages.empty() && pending.channel.state() == PeerChannel::State::Open ? pending.until : 0;
            continue;
        }
        Peer& peer = peers_[index];
        peer.channel.emplace(std::move(pending.channel));
        peer.linked = true;
        peer.heard = now;
        peer.lost = 0;
        peer.beats = peer.confirmed = peer.its_beat = 0;
        pending.until = 0;
        for (std::size_t i = 1; i < messages.size(); ++i) {
            take(index, messages[i]);
        }
        send_told(peer);
        next_beat_ = 0;  // so that it knows at once that it is linked
    }
    std::erase_if(pending_, [now](const Pending& pending) { return pending.until <= now; });
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
    } else if (message.has_down() && message.down().attempt() == attempt_) {
        wire::Cause cause = message.down();
        if (cause.kind() == "node-silent" && cause.node() == options_.nodes[options_.index]) {
            cause.set_node(options_.nodes[index]);  // it misses us, we are here: the cut is on its way
        }
        if (adopt(cause)) {
            report({cause, {}});
            for (std::size_t i = 0; hub() && i < peers_.size(); ++i) {
                if (i != index) {
                    send_told(peers_[i]);
                }
            }
        } else if (hub()) {
            send_told(peers_[index]);  // ours came first: that is the one that all shall name
        }
    }
}

void PeerLink::take_ready(Peer& peer, const wire::PeerReady& ready) {
    peer.ready = std::max(peer.ready, ready.attempt());
    peer.finished = ready.finished() && ready.attempt() == attempt_;
    if (ready.attempt() == attempt_ && attempt_ > 0 && !ready.finished() && peer.channel) {
        wire::PeerMessage go;  // it has not heard: the connection was lost in between
        go.mutable_go()->set_attempt(attempt_);
        peer.channel->send(go);
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

void PeerLink::send_ready(Peer& hub_peer) {
    if (!hub_peer.channel || (own_ready_ == 0 && !own_finished_)) {
        return;
    }
    wire::PeerMessage message;
    message.mutable_ready()->set_attempt(own_ready_);
    message.mutable_ready()->set_finished(own_finished_);
    hub_peer.channel->send(message);
}

void PeerLink::go_if_all_are_ready() {
    if (!hub() || !waits_to_restart()) {
        return;
    }
    for (std::size_t i = 1; i < peers_.size(); ++i) {
        if (!peers_[i].channel || peers_[i].over || peers_[i].ready < own_ready_) {
            return;
        }
    }
    wire::PeerMessage go;
    go.mutable_go()->set_attempt(own_ready_);
    for (std::size_t i = 1; i < peers_.size(); ++i) {
        peers_[i].finished = false;
        peers_[i].channel->send(go);
    }
    begin_attempt(own_ready_);
}

void PeerLink::begin_attempt(std::uint32_t attempt) {
    attempt_ = attempt;
    own_finished_ = false;
    told_.reset();
    News news;
    news.go = attempt;
    report(std::move(news));
}

// What a spoke hears from the hub counts always: all nodes must name the same cause.
bool PeerLink::adopt(const wire::Cause& cause) {
    if (told_ && hub() && (!is_consequence(*told_) || is_consequence(cause))) {
        return false;
    }
    told_ = cause;
    told_at_ = monotonic_s();
    return true;
}

// A rank that ended by itself in the moment in which another node's supervisor went has lost its peers there.
bool PeerLink::may_be_consequence_of(std::size_t index) const {
    const Peer& peer = peers_[index];
    return told_ && told_->kind() == "rank-ended" && told_->node() != options_.nodes[index] &&
           peer.lost > 0 && peer.closed && told_at_ > peer.lost - kSameMoment;
}

void PeerLink::send_told(Peer& peer) {
    if (told_ && peer.channel) {
        peer.channel->send(message_of(*told_));
        peer.channel->flush();
    }
}

void PeerLink::forward_told() {
    std::vector<wire::Cause> outbox;
    {
        const std::lock_guard lock(mutex_);
        outbox.swap(outbox_);
    }
    for (const auto& cause : outbox) {
        if (cause.attempt() != attempt_) {
            continue;
        }
        if (told_ && (!is_consequence(*told_) || is_consequence(cause))) {
            continue;
        }
        told_ = cause;
        told_at_ = monotonic_s();
        for (auto& peer : peers_) {
            send_told(peer);
        }
    }
}

void PeerLink::link_lost(Peer& peer, double now) {
    peer.closed = peer.channel->state() == PeerChannel::State::Closed;
    if (!peer.linked && peer.channel->state() == PeerChannel::State::Refused) {
        dial_failed(EPROTO, now);  // somebody else answered there
    }
    peer.channel.reset();
    if (peer.lost <= 0) {
        peer.lost = now;
    }
    next_dial_ = peer.linked ? now : now + kDialAgainFirst;
}

void PeerLink::conclude(double now) {
    for (std::size_t i = 0; i < peers_.size(); ++i) {
        Peer& peer = peers_[i];
        const bool gone = peer.lost > 0 && peer.closed && now - peer.lost > options_.return_s;
        const bool silent = options_.timeout_s > 0 && now - peer.heard > options_.timeout_s;
        if (waits_to_restart() && !told_stuck_ && peer.linked && (peer.over || gone || silent)) {
            told_stuck_ = true;
            News news;
            news.stuck = options_.nodes[i];
            report(std::move(news));
        }
        if (!peer.linked || peer.over || (told_ && !may_be_consequence_of(i))) {
            continue;
        }
        if (!gone && !silent) {
            continue;
        }
        peer.over = true;
        wire::Cause cause;
        cause.set_kind(gone ? "node-gone" : "node-silent");
        cause.set_node(options_.nodes[i]);
        cause.set_rank(-1);
        cause.set_after_s(gone ? 0 : options_.timeout_s);
        cause.set_attempt(attempt_);
        told_ = cause;
        told_at_ = now;
        report({cause, {}});
        for (auto& other : peers_) {
            send_told(other);
        }
    }
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

void PeerLink::dial(double now) {
    if (hub() || peers_[0].channel || peers_[0].over || addresses_.empty()) {
        return;
    }
    first_dial_ = first_dial_ > 0 ? first_dial_ : now;
    if (!dialing_.fd) {
        if (now >= next_dial_) {
            begin_dial(now);
        }
        return;
    }
    pollfd fd{dialing_.fd.get(), POLLOUT, 0};
    if (::poll(&fd, 1, 0) <= 0) {
        if (now > dialing_.until) {
            dial_failed(ETIMEDOUT, now);
        }
        return;
    }
    int error = 0;
    socklen_t size = sizeof error;
    ::getsockopt(dialing_.fd.get(), SOL_SOCKET, SO_ERROR, &error, &size);
    if (error != 0) {
        return dial_failed(error, now);
    }
    Peer& hub_peer = peers_[0];
    hub_peer.beats = hub_peer.confirmed = hub_peer.its_beat = 0;
    hub_peer.channel.emplace(std::move(dialing_.fd), PeerChannel::Side::Spoke, options_.token,
                             options_.run_id);
    wire::PeerMessage hello;
    hello.mutable_hello()->set_index(static_cast<std::uint32_t>(options_.index));
    hub_peer.channel->send(hello);
    send_told(hub_peer);
    send_ready(hub_peer);
    hub_peer.channel->flush();
}

void PeerLink::begin_dial(double now) {
    const std::string& text = addresses_[next_address_ % addresses_.size()];
    const auto address = numeric(text, port_);
    if (!address) {
        return dial_failed(EADDRNOTAVAIL, now);
    }
    dialing_.fd = tcp_socket(address->storage.ss_family);
    dialing_.until = now + kDialTimeout;
    if (::connect(dialing_.fd.get(), reinterpret_cast<const sockaddr*>(&address->storage), address->size) !=
            0 &&
        errno != EINPROGRESS) {
        dial_failed(errno, now);
    }
}

void PeerLink::dial_failed(int error, double now) {
    dialing_.fd.reset();
    const std::string at = addresses_[next_address_ % addresses_.size()] + ':' + std::to_string(port_);
    ++next_address_;
    next_dial_ = now + (peers_[0].linked ? kDialAgain : kDialAgainFirst);
    if (!peers_[0].linked && !told_absent_ && now - first_dial_ > options_.absent_s) {
        told_absent_ = true;
        report({std::nullopt, at + ": " + std::strerror(error)});
    }
    // Refused where the hub listened before: its process is gone, as much as if it had closed the connection.
    if (peers_[0].lost > 0 && error == ECONNREFUSED) {
        peers_[0].closed = true;
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
            pollfd fd{peer.channel->fd(), POLLOUT, 0};
            ::poll(&fd, 1, 50);
        }
        peer.channel.reset();
    }
    pending_.clear();
    listener_.reset();
    dialing_.fd.reset();
}

std::string describe(const wire::Cause& cause) {
    if (cause.kind() == "rank-ended") {
        const auto& exit = cause.exit();
        const std::string how = exit.signal() != 0 ? "was killed by signal " + std::to_string(exit.signal())
                                                   : "exited with code " + std::to_string(exit.code());
        return "rank " + std::to_string(cause.rank()) + " on " + cause.node() + ' ' + how;
    }
    if (cause.kind() == "node-silent") {
        return cause.node() + " was not heard from for " + std::to_string(std::lround(cause.after_s())) +
               " s";
    }
    if (cause.kind() == "node-gone") {
        return "the supervisor of " + cause.node() + " is gone";
    }
    if (cause.kind() == "signalled") {
        return cause.node() + ": " + cause.detail();
    }
    return cause.detail();
}

}  // namespace rankscope::agent
