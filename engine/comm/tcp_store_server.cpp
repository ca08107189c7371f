// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <base/log.h>
#include <base/number_text.h>
#include <base/text.h>
#include <engine/comm/tcp_store_server.h>
#include <engine/error.h>

#include <netdb.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <memory>
#include <utility>

namespace rankscope::engine {
namespace {

using store_protocol::Message;
using store_protocol::Op;
using store_protocol::Status;

constexpr std::ptrdiff_t kMaxStrangers = 256;       // connections that have proven nothing yet
constexpr std::ptrdiff_t kMaxStrangersOfHost = 64;  // of one address
constexpr int kAcceptedAtOnce = 64;
constexpr int kReportedRefusals = 20;
constexpr std::size_t kMaxQueued = std::size_t{64} << 20U;
constexpr auto kFarewell = std::chrono::seconds(2);
constexpr auto kOwnLast =
    std::chrono::milliseconds(300);                     // how long this process's rank waits for the others
constexpr auto kLook = std::chrono::milliseconds(100);  // how often silent ranks are looked for

void* pointer_to(sockaddr_storage& address) {
    return &address;
}

struct PeerName {
    std::string host = "an unknown address";
    std::string port = {};
};

PeerName peer_name(int descriptor) {
    sockaddr_storage address{};
    socklen_t size = sizeof(address);
    auto* generic = static_cast<sockaddr*>(pointer_to(address));
    std::array<char, NI_MAXHOST> host{};
    std::array<char, NI_MAXSERV> port{};
    if (getpeername(descriptor, generic, &size) != 0 ||
        getnameinfo(generic, size, host.data(), host.size(), port.data(), port.size(),
                    NI_NUMERICHOST | NI_NUMERICSERV) != 0) {
        return {};
    }
    return {host.data(), port.data()};
}

}  // namespace

TcpStoreServer::TcpStoreServer(const StoreServerOptions& options)
    : options_(options),
      key_(derive_key(options.token, TokenUse::EngineStore)),
      listener_(listen_tcp(options.port, options.address)),
      port_(local_port(listener_)),
      clock_(2 * kLook),
      thread_([this](const std::stop_token& stop) { serve(stop); }) {}

TcpStoreServer::~TcpStoreServer() {
    thread_.request_stop();
    loop_.defer([] {});  // wakes it
}

bool TcpStoreServer::finished(const std::stop_token& stop) {
    if (!stop.stop_requested()) {
        return false;
    }
    if (!stop_deadline_) {
        stop_deadline_ = Clock::now() + kFarewell;
    }
    const bool waiting = std::any_of(connections_.begin(), connections_.end(), [](const auto& entry) {
        return entry.second.rank >= 0 && (!entry.second.polite || !entry.second.out.empty());
    });
    return !waiting || Clock::now() >= *stop_deadline_;
}

double TcpStoreServer::seconds_until_due() const {
    Clock::time_point next = Clock::now() + kLook;
    for (const Waiter& waiter : waiters_) {
        next = std::min(next, waiter.deadline);
    }
    for (const auto& [descriptor, connection] : connections_) {
        next = std::min(next, connection.answer_by.value_or(next));
    }
    const double left = std::chrono::duration<double>(next - Clock::now()).count();
    return std::clamp(left, 0.0, stop_deadline_ || loss_ ? 0.02 : 1.0);
}

void TcpStoreServer::serve(const std::stop_token& stop) {
    const auto listening = loop_.watch(listener_.fd(), POLLIN, [this](short) { arrivals_ = true; });
    while (!finished(stop)) {
        for (auto& [descriptor, connection] : connections_) {
            connection.watch.set_events(
                static_cast<short>(connection.out.empty() ? POLLIN : POLLIN | POLLOUT));
        }
        loop_.run_once(seconds_until_due());
        clock_.tick();
        for (auto& [descriptor, connection] : connections_) {
            if (std::exchange(connection.readable, false)) {
                read_from(connection);
            }
        }
        expire();
        find_silent();
        for (auto& [descriptor, connection] : connections_) {
            write_to(connection);
        }
        drop_closed();
        answer_watches();
        // Accepted last, so that a descriptor just closed is not mistaken for the new one.
        if (std::exchange(arrivals_, false)) {
            accept_some();
        }
    }
}

void TcpStoreServer::accept_some() {
    for (int i = 0; i < kAcceptedAtOnce; ++i) {
        Socket socket(accept4(listener_.fd(), nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC));
        if (!socket) {
            return;
        }
        set_tcp_options(socket.fd());
        const int descriptor = socket.fd();
        PeerName peer = peer_name(descriptor);
        make_room_for(peer.host);
        Connection connection{.socket = std::move(socket),
                              .session = SealedSession(key_, SealedSession::Side::Listener),
                              .peer = peer.host + ":" + peer.port,
                              .host = std::move(peer.host),
                              .opened = Clock::now()};
        connection.out =
            store_protocol::frame(std::string(store_protocol::kMagic) + connection.session.own_nonce());
        write_to(connection);
        Connection& placed = connections_.insert_or_assign(descriptor, std::move(connection)).first->second;
        placed.watch = loop_.watch(descriptor, POLLIN, [&placed](short events) {
            placed.readable = (events & (POLLIN | POLLHUP | POLLERR)) != 0;
        });
    }
}

// A flood must neither use up our descriptors nor keep the ranks out.
void TcpStoreServer::make_room_for(const std::string& host) {
    std::map<std::string, std::ptrdiff_t> strangers;
    std::ptrdiff_t all = 0;
    for (const auto& [descriptor, connection] : connections_) {
        if (connection.rank < 0) {
            ++strangers[connection.host];
            ++all;
        }
    }
    std::string crowd = host;
    if (strangers[host] < kMaxStrangersOfHost) {
        if (all < kMaxStrangers) {
            return;
        }
        crowd = std::max_element(strangers.begin(), strangers.end(), [](const auto& a, const auto& b) {
                    return a.second < b.second;
                })->first;
    }
    auto oldest = connections_.end();
    for (auto entry = connections_.begin(); entry != connections_.end(); ++entry) {
        if (entry->second.rank < 0 && entry->second.host == crowd &&
            (oldest == connections_.end() || entry->second.opened < oldest->second.opened)) {
            oldest = entry;
        }
    }
    if (oldest != connections_.end()) {
        connections_.erase(oldest);  // strangers wait for no key, and are no members
    }
}

void TcpStoreServer::read_from(Connection& connection) {
    std::array<char, 16384> piece{};
    while (!connection.closing) {
        const ssize_t got = recv(connection.socket.fd(), piece.data(), piece.size(), 0);
        if (got < 0 && errno == EINTR) {
            continue;
        }
        if (got <= 0) {
            connection.closing = got == 0 || (errno != EAGAIN && errno != EWOULDBLOCK);
            return;
        }
        connection.in.append(piece.data(), static_cast<std::size_t>(got));
        take_frames(connection);
    }
}

void TcpStoreServer::take_frames(Connection& connection) {
    while (!connection.closing && connection.in.size() >= 4) {
        const std::size_t length = store_protocol::read_length(
            static_cast<const unsigned char*>(static_cast<const void*>(connection.in.data())));
        const std::size_t limit = connection.rank < 0 ? store_protocol::kMaxHello : store_protocol::kMaxFrame;
        if (length == 0 || length > limit) {
            refuse(connection,
                   "is not a rank of this run (a message of " + std::to_string(length) + " bytes)");
            return;
        }
        if (connection.in.size() < 4 + length) {
            return;
        }
        const std::string bytes = connection.in.substr(4, length);
        connection.in.erase(0, 4 + length);
        take_frame(connection, bytes);
    }
}

void TcpStoreServer::take_frame(Connection& connection, std::string_view bytes) {
    SealedSession& session = connection.session;
    if (!session.begun()) {
        if (!bytes.starts_with(store_protocol::kMagic) ||
            !session.begin(bytes.substr(store_protocol::kMagic.size()), "")) {
            refuse(connection, "is not a rank of this run (no greeting)");
        }
        return;
    }
    const bool known = session.proven();
    const auto body = session.open(bytes);
    if (!body) {
        if (!known) {
            connection.out += store_protocol::frame(store_protocol::kRefusal);
        }
        refuse(connection, known ? "sent a forged or damaged message" : "does not have this run's token");
        return;
    }
    const auto message = store_protocol::decode(*body);
    if (!message) {
        refuse(connection, "sent a malformed message");
        return;
    }
    handle(connection, *message);
}

void TcpStoreServer::write_to(Connection& connection) {
    while (!connection.out.empty()) {
        const ssize_t sent =
            send(connection.socket.fd(), connection.out.data(), connection.out.size(), MSG_NOSIGNAL);
        if (sent < 0 && errno == EINTR) {
            continue;
        }
        if (sent <= 0) {
            connection.closing = connection.closing || (errno != EAGAIN && errno != EWOULDBLOCK);
            return;
        }
        connection.out.erase(0, static_cast<std::size_t>(sent));
    }
}

void TcpStoreServer::reply(Connection& connection, Status status, std::vector<std::string> fields) {
    connection.out += store_protocol::frame(connection.session.seal(
        store_protocol::encode({static_cast<std::uint8_t>(status), std::move(fields)})));
    if (connection.out.size() > kMaxQueued) {
        refuse(connection, "does not read its answers");
    }
}

void TcpStoreServer::refuse(Connection& connection, const std::string& why) {
    connection.closing = true;
    if (++refusals_ <= kReportedRefusals) {
        log_message(LogLevel::Warning,
                    "store: connection from " + connection.peer + " closed: it " + why +
                        (refusals_ == kReportedRefusals ? "; further ones are not reported" : ""));
    }
}

void TcpStoreServer::handle(Connection& connection, const Message& request) {
    const auto op = static_cast<Op>(request.kind);
    const std::vector<std::string>& fields = request.fields;
    if (connection.rank < 0) {
        hello(connection, request);
    } else if (op == Op::set && fields.size() == 2) {
        store(fields[0], fields[1]);
        reply(connection, Status::ok);
    } else if (op == Op::get && fields.size() == 2) {
        get(connection, fields);
    } else if (op == Op::add && fields.size() == 2) {
        const std::int64_t before = parse_number<std::int64_t>(values_[fields[0]]).value_or(0);
        const std::string after = std::to_string(before + parse_number<std::int64_t>(fields[1]).value_or(0));
        store(fields[0], after);
        reply(connection, Status::ok, {after});
    } else if (op == Op::check) {
        std::vector<std::string> present;
        for (const std::string& key : fields) {
            present.emplace_back(values_.contains(key) ? "1" : "0");
        }
        reply(connection, Status::ok, std::move(present));
    } else if (op == Op::fail && fields.size() == 1) {
        connection.polite = true;
        lose(connection.rank, store_protocol::kGone, fields[0]);
        connection.answer_by = Clock::now() + kOwnLast;
    } else if (op == Op::beat && fields.size() == 3) {
        beat(connection, fields);
    } else if (op == Op::accuse && fields.size() == 2) {
        lose(static_cast<int>(parse_number<std::int64_t>(fields[0]).value_or(-1)), store_protocol::kMissing,
             fields[1]);
        reply(connection, Status::ok);
    } else if (op == Op::bye) {
        connection.polite = true;
        reply(connection, Status::ok);
    } else {
        refuse(connection, "sent an unknown operation");
    }
}

void TcpStoreServer::hello(Connection& connection, const Message& request) {
    const std::vector<std::string>& fields = request.fields;
    if (static_cast<Op>(request.kind) != Op::hello || fields.size() != 3) {
        refuse(connection, "is not a rank of this run (no hello)");
        return;
    }
    const std::int64_t rank = parse_number<std::int64_t>(fields[0]).value_or(-1);
    const std::int64_t world = parse_number<std::int64_t>(fields[1]).value_or(-1);
    std::string why;
    if (world != options_.world_size) {
        why = "this rank has WORLD_SIZE=" + fields[1] +
              ", rank 0 has WORLD_SIZE=" + std::to_string(options_.world_size);
    } else if (rank < 0 || rank >= world) {
        why = "RANK=" + fields[0] + " is not in the world of " + fields[1];
    } else if (fields[2] == "member" && !members_.insert(static_cast<int>(rank)).second) {
        why = "there is a rank " + fields[0] + " already: two processes were started with the same RANK";
    }
    if (!why.empty()) {
        reply(connection, Status::refused, {why});
        return;  // it may read the answer; without a valid hello it is closed at the deadline
    }
    connection.rank = static_cast<int>(rank);
    connection.member = fields[2] == "member";
    connection.polite = !connection.member;
    reply(connection, Status::ok);
}

void TcpStoreServer::get(Connection& connection, const std::vector<std::string>& fields) {
    const auto found = values_.find(fields[0]);
    if (found != values_.end()) {
        reply(connection, Status::ok, {found->second});
        return;
    }
    constexpr std::int64_t kYear = 31'536'000'000;
    const std::int64_t timeout = parse_number<std::int64_t>(fields[1]).value_or(0);
    const auto wait = std::chrono::milliseconds(timeout < 0 ? kYear : std::min(timeout, kYear));
    waiters_.push_back({connection.socket.fd(), fields[0], Clock::now() + wait});
}

void TcpStoreServer::beat(Connection& connection, const std::vector<std::string>& fields) {
    constexpr std::int64_t kMinute = 60'000;
    connection.watches = true;
    connection.heard = clock_.now();
    connection.silence_limit = std::chrono::milliseconds(parse_number<std::int64_t>(fields[1]).value_or(0));
    connection.answer_by = Clock::now() + std::chrono::milliseconds(std::clamp<std::int64_t>(
                                              parse_number<std::int64_t>(fields[2]).value_or(0), 0, kMinute));
    store(store_protocol::state_key(connection.rank), fields[0]);
}

void TcpStoreServer::store(const std::string& key, const std::string& value) {
    values_[key] = value;
    std::erase_if(waiters_, [&](const Waiter& waiter) {
        if (waiter.key != key) {
            return false;
        }
        reply(connections_.at(waiter.descriptor), Status::ok, {value});
        return true;
    });
}

void TcpStoreServer::expire() {
    const Clock::time_point now = Clock::now();
    std::erase_if(waiters_, [&](const Waiter& waiter) {
        if (waiter.deadline > now) {
            return false;
        }
        reply(connections_.at(waiter.descriptor), Status::timeout);
        return true;
    });
    for (auto& [descriptor, connection] : connections_) {
        if (connection.rank < 0 && !connection.closing && now - connection.opened > options_.hello_timeout) {
            refuse(connection, "sent no valid hello in time");
        }
    }
}

void TcpStoreServer::find_silent() {
    for (const auto& [descriptor, connection] : connections_) {
        const auto silent = clock_.now() - connection.heard;
        if (connection.silence_limit.count() > 0 && !connection.closing &&
            silent > connection.silence_limit) {
            std::array<char, 128> text{};
            std::snprintf(text.data(), text.size(),
                          "no sign of life for %s s: stopped (SIGSTOP, a debugger), or cut off from the "
                          "network",
                          fixed_text(std::chrono::duration<double>(silent).count(), 1).c_str());
            lose(connection.rank, store_protocol::kGone, text.data());
        }
    }
}

bool TcpStoreServer::others_are_notified() const {
    return std::all_of(connections_.begin(), connections_.end(), [this](const auto& entry) {
        const Connection& connection = entry.second;
        return !connection.watches || connection.notified || connection.closing || connection.rank == 0 ||
               connection.rank == loss_->rank;
    });
}

void TcpStoreServer::answer_watches() {
    const Clock::time_point now = Clock::now();
    for (const bool own : {false, true}) {
        for (auto& [descriptor, connection] : connections_) {
            if (!connection.answer_by || connection.closing || (connection.rank == 0) != own) {
                continue;
            }
            if (loss_ && (!own || others_are_notified() || now > loss_->since + kOwnLast)) {
                connection.notified = true;
                connection.answer_by.reset();
                reply(connection, Status::ok, {loss_->note});
                write_to(connection);
            } else if (now >= *connection.answer_by && !loss_) {
                connection.answer_by.reset();
                reply(connection, Status::timeout);
            }
        }
    }
}

void TcpStoreServer::drop_closed() {
    for (auto entry = connections_.begin(); entry != connections_.end();) {
        if (!entry->second.closing) {
            ++entry;
            continue;
        }
        const int descriptor = entry->first;
        const Connection gone = std::move(entry->second);
        entry = connections_.erase(entry);
        std::erase_if(waiters_, [&](const Waiter& waiter) { return waiter.descriptor == descriptor; });
        if (gone.member) {
            members_.erase(gone.rank);
            if (!gone.polite) {
                lose(gone.rank, store_protocol::kGone,
                     "its connection broke off (killed, crashed, or its machine is gone)");
            }
        }
    }
}

void TcpStoreServer::lose(int rank, std::string_view kind, const std::string& reason) {
    if (!loss_) {
        loss_ = Loss{rank, std::to_string(rank) + " " + std::string(kind) + " " + reason, Clock::now()};
    }
}

}  // namespace rankscope::engine
