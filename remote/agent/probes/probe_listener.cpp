// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <base/clock.h>
#include <base/fd.h>
#include <remote/agent/probes/probe_exchange.h>
#include <remote/agent/probes/probe_listener.h>

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/resource.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <limits>
#include <list>
#include <string>
#include <utility>

namespace rankscope::agent {
namespace {

constexpr int kMostPorts = 64;
constexpr std::size_t kMostConnections = 512;
constexpr int kBacklog = 512;
constexpr int kMostAcceptedAtOnce = 64;
constexpr std::uint64_t kMostBytes = 64U << 20U;
constexpr std::size_t kDiscardAtOnce = 1U << 20U;
constexpr double kLongestLife = 60;
constexpr double kProofTime = 3;
constexpr double kIdleTime = 10;
constexpr double kSweepInterval = 0.5;
constexpr double kGrace = 0.25;  // of a stranger whose hello may be on its way
constexpr double kPause = 0.02;

struct Bound {
    UniqueFd fd;
    std::uint16_t port = 0;
    int error = 0;
};

std::uint16_t port_of(int fd) {
    sockaddr_in6 address{};  // the port lies at the same place for both families
    socklen_t size = sizeof address;
    return ::getsockname(fd, reinterpret_cast<sockaddr*>(&address), &size) == 0 ? ntohs(address.sin6_port)
                                                                                : std::uint16_t{0};
}

Bound listen_on(int family, std::uint16_t port) {
    Bound bound{UniqueFd(::socket(family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0)), port, 0};
    if (!bound.fd) {
        bound.error = errno;
        return bound;
    }
    const int on = 1;
    const int off = 0;
    // As the stores of torch and our engine: connections of an earlier run in TIME_WAIT do not matter.
    ::setsockopt(bound.fd.get(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    sockaddr_storage any{};
    any.ss_family = static_cast<sa_family_t>(family);
    socklen_t size = sizeof(sockaddr_in);
    if (family == AF_INET6) {
        ::setsockopt(bound.fd.get(), IPPROTO_IPV6, IPV6_V6ONLY, &off, sizeof off);
        reinterpret_cast<sockaddr_in6*>(&any)->sin6_port = htons(port);
        size = sizeof(sockaddr_in6);
    } else {
        reinterpret_cast<sockaddr_in*>(&any)->sin_port = htons(port);
    }
    if (::bind(bound.fd.get(), reinterpret_cast<sockaddr*>(&any), size) != 0 ||
        ::listen(bound.fd.get(), kBacklog) != 0) {
        bound.error = errno;
        bound.fd.reset();
        return bound;
    }
    bound.port = port_of(bound.fd.get());
    return bound;
}

Bound listen_on(std::uint16_t port) {
    Bound both = listen_on(AF_INET6, port);
    const bool no_v6 = both.error == EAFNOSUPPORT || both.error == EADDRNOTAVAIL;
    return no_v6 ? listen_on(AF_INET, port) : std::move(both);
}

SeenAddress seen_address(const sockaddr_storage& from) {
    SeenAddress seen;
    if (from.ss_family == AF_INET6) {
        const auto& v6 = reinterpret_cast<const sockaddr_in6&>(from);
        std::memcpy(seen.address.data(), &v6.sin6_addr, seen.address.size());
        seen.port = ntohs(v6.sin6_port);
    } else {
        const auto& v4 = reinterpret_cast<const sockaddr_in&>(from);
        seen.address[10] = 0xFF;
        seen.address[11] = 0xFF;
        std::memcpy(seen.address.data() + 12, &v4.sin_addr, 4);
        seen.port = ntohs(v4.sin_port);
    }
    return seen;
}

// A quarter of the descriptors that this process may have, at most: connect_targets() takes half, and there is other
// work.
std::size_t connection_limit() {
    rlimit limit{};
    if (::getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) {
        return kMostConnections;
    }
    return std::clamp<std::size_t>(limit.rlim_cur / 4, 8, kMostConnections);
}

}  // namespace

class ProbeListener::Impl {
public:
    explicit Impl(EventLoop& loop) : loop_(loop) {}

    wire::ProbePorts open(const wire::OpenProbePorts& request);

private:
    struct Listener {
        UniqueFd fd;
        EventLoop::Watch watch;  ///< after fd: dropped before it is closed
    };
    struct Connection {
        UniqueFd fd;
        SeenAddress from;
        double since = 0;
        double heard = 0;
        std::string hello = {};
        bool proven = false;
        std::uint64_t count = 0;
        EventLoop::Watch watch = {};
    };
    using Connections = std::list<Connection>;  ///< the oldest first

    wire::ProbePort open_port(std::uint32_t port);
    void close_all();
    void accept_some(const Listener& listener);
    void add(UniqueFd fd, const sockaddr_storage& from);
    bool make_room();
    void pause();
    void resume();
    void serve(Connections::iterator connection);
    bool read_hello(Connection& connection);
    bool discard(Connection& connection);
    void sweep();

    EventLoop& loop_;
    TokenKey key_{};
    std::size_t most_ = kMostConnections;
    std::list<Listener> listeners_;
    Connections connections_;
    EventLoop::Timer life_;
    EventLoop::Timer sweep_;
    EventLoop::Timer pause_;
};

wire::ProbePorts ProbeListener::Impl::open(const wire::OpenProbePorts& request) {
    close_all();
    wire::ProbePorts ports;
    const bool usable = request.token().size() == kProbeTokenBytes;
    key_ = derive_key(request.token(), TokenUse::Probe);
    most_ = connection_limit();
    for (const std::uint32_t port : request.ports()) {
        wire::ProbePort& opened = *ports.add_ports();
        if (!usable || port > std::numeric_limits<std::uint16_t>::max() || ports.ports_size() > kMostPorts) {
            opened.set_port(port);
            opened.set_error(EINVAL);
        } else {
            opened = open_port(port);
        }
    }
    const double seconds = std::isfinite(request.seconds()) ? request.seconds() : kLongestLife;
    life_ = loop_.call_after(std::clamp(seconds, 0.0, kLongestLife), [this] { close_all(); });
    return ports;
}

wire::ProbePort ProbeListener::Impl::open_port(std::uint32_t port) {
    Bound bound = listen_on(static_cast<std::uint16_t>(port));
    wire::ProbePort opened;
    opened.set_port(bound.port);
    opened.set_error(bound.error);
    if (bound.fd) {
        Listener& listener = listeners_.emplace_back();
        listener.fd = std::move(bound.fd);
        listener.watch =
            loop_.watch(listener.fd.get(), POLLIN, [this, &listener](short) { accept_some(listener); });
    }
    return opened;
}

void ProbeListener::Impl::close_all() {
    life_.reset();
    sweep_.reset();
    pause_.reset();
    listeners_.clear();
    connections_.clear();
}

void ProbeListener::Impl::accept_some(const Listener& listener) {
    for (int i = 0; i < kMostAcceptedAtOnce; ++i) {
        if (connections_.size() >= most_ && !make_room()) {
            return pause();
        }
        sockaddr_storage from{};
        socklen_t size = sizeof from;
        UniqueFd fd(::accept4(listener.fd.get(), reinterpret_cast<sockaddr*>(&from), &size,
                              SOCK_CLOEXEC | SOCK_NONBLOCK));
        if (fd) {
            add(std::move(fd), from);
        } else if (errno == EAGAIN) {
            return;
        } else if (errno == EMFILE || errno == ENFILE || errno == ENOBUFS || errno == ENOMEM) {
            if (!make_room()) {
                return pause();
            }
        }  // else a connection that ended before it was accepted
    }
}

void ProbeListener::Impl::add(UniqueFd fd, const sockaddr_storage& from) {
    const int on = 1;
    ::setsockopt(fd.get(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    const double now = monotonic_s();
    const auto added = connections_.insert(
        connections_.end(),
        Connection{.fd = std::move(fd), .from = seen_address(from), .since = now, .heard = now});
    added->watch = loop_.watch(added->fd.get(), POLLIN, [this, added](short) { serve(added); });
    if (!sweep_.is_pending()) {
        sweep_ = loop_.call_after(kSweepInterval, [this] { sweep(); });
    }
}

// At the cost of the oldest one that has not proven itself. false: all have, or may do so in a moment.
bool ProbeListener::Impl::make_room() {
    const auto oldest = std::find_if(connections_.begin(), connections_.end(),
                                     [](const Connection& connection) { return !connection.proven; });
    if (oldest == connections_.end() || monotonic_s() - oldest->since < kGrace) {
        return false;
    }
    connections_.erase(oldest);
    return true;
}

// Those that wait to be accepted keep the listeners readable.
void ProbeListener::Impl::pause() {
    for (Listener& listener : listeners_) {
        listener.watch.set_events(0);
    }
    pause_ = loop_.call_after(kPause, [this] { resume(); });
}

void ProbeListener::Impl::resume() {
    for (Listener& listener : listeners_) {
        listener.watch.set_events(POLLIN);
    }
    pause_.reset();
}

void ProbeListener::Impl::serve(Connections::iterator connection) {
    connection->heard = monotonic_s();
    if (!(connection->proven ? discard(*connection) : read_hello(*connection))) {
        connections_.erase(connection);
        if (pause_.is_pending()) {
            resume();
        }
    }
}

// false: the connection is over.
bool ProbeListener::Impl::read_hello(Connection& connection) {
    std::array<char, kProbeHelloBytes> bytes;
    const auto got = ::recv(connection.fd.get(), bytes.data(), bytes.size() - connection.hello.size(), 0);
    if (got <= 0) {
        return got < 0 && (errno == EAGAIN || errno == EINTR);
    }
    connection.hello.append(bytes.data(), static_cast<std::size_t>(got));
    if (!can_begin_probe_message(connection.hello)) {
        return false;
    }
    if (connection.hello.size() < kProbeHelloBytes) {
        return true;
    }
    const auto hello = open_probe_hello(key_, connection.hello);
    connection.proven = hello && hello->proven;
    const std::string answer = connection.proven ? make_probe_answer(key_, hello->nonce, connection.from)
                                                 : make_blank_probe_answer();
    // A new socket takes these few bytes at once.
    const auto put = ::send(connection.fd.get(), answer.data(), answer.size(), MSG_NOSIGNAL);
    return connection.proven && put == static_cast<ssize_t>(answer.size());
}

bool ProbeListener::Impl::discard(Connection& connection) {
    // MSG_TRUNC: TCP does not even copy it (tcp(7)).
    const auto got = ::recv(connection.fd.get(), nullptr, kDiscardAtOnce, MSG_TRUNC);
    if (got < 0) {
        return errno == EAGAIN || errno == EINTR;
    }
    connection.count += static_cast<std::uint64_t>(got);
    if (got > 0) {
        return connection.count <= kMostBytes;
    }
    const std::string count = make_probe_count(connection.count);
    [[maybe_unused]] const auto put = ::send(connection.fd.get(), count.data(), count.size(), MSG_NOSIGNAL);
    return false;
}

void ProbeListener::Impl::sweep() {
    const double now = monotonic_s();
    connections_.remove_if([now](const Connection& connection) {
        return now - connection.heard > kIdleTime ||
               (!connection.proven && now - connection.since > kProofTime);
    });
    if (!connections_.empty()) {
        sweep_ = loop_.call_after(kSweepInterval, [this] { sweep(); });
    }
}

ProbeListener::ProbeListener(EventLoop& loop) : impl_(std::make_unique<Impl>(loop)) {}

ProbeListener::~ProbeListener() = default;

wire::ProbePorts ProbeListener::open(const wire::OpenProbePorts& request) {
    return impl_->open(request);
}

}  // namespace rankscope::agent
