// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <engine/comm/tcp_store.h>
#include <engine/error.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <thread>

namespace rankscope::engine {
namespace {

using store_protocol::Message;
using store_protocol::Op;
using store_protocol::Status;

constexpr auto kAnswer = std::chrono::seconds(150);   // beyond what TCP itself survives
constexpr auto kGreeting = std::chrono::seconds(10);  // for the handshake, before the next try
constexpr auto kUnreachable = std::chrono::seconds(3);

std::string seconds_text(std::chrono::milliseconds time) {
    return std::to_string(std::max<std::int64_t>(1, time.count() / 1000)) + " s";
}

IoResult receive_frame(const Socket& socket, std::string& body, Clock::time_point deadline) {
    std::array<unsigned char, 4> head{};
    IoResult result = receive_all(socket, head.data(), head.size(), deadline);
    if (!result) {
        return result;
    }
    const std::size_t length = store_protocol::read_length(head.data());
    if (length > store_protocol::kMaxFrame + 256) {
        return {IoStatus::failed, "another protocol", EPROTO};
    }
    body.resize(length);
    return receive_all(socket, body.data(), body.size(), deadline);
}

}  // namespace

TcpStore::TcpStore(const StoreClientOptions& options)
    : address_(options.host + ":" + std::to_string(options.port)) {
    connect(options);
}

void TcpStore::connect(const StoreClientOptions& options) {
    const Clock::time_point begin = Clock::now();
    const Clock::time_point deadline = begin + options.timeout;
    std::chrono::milliseconds pause{10};
    IoResult last;
    int reported = 0;
    do {
        // A single try is bounded as well: a firewall that drops packets must not use up the whole time.
        const auto attempt = std::min(deadline, Clock::now() + std::chrono::seconds(5));
        Socket socket;
        last = connect_tcp(options.host, options.port, attempt, &socket);
        if (last && greet(std::move(socket), options, last) == Greeted::Yes) {
            return;
        }
        if (options.unreachable && Clock::now() - begin > kUnreachable && last.code != reported) {
            reported = last.code;
            options.unreachable({options.host, options.port, last.code});
        }
        std::this_thread::sleep_for(std::min<Clock::duration>(pause, std::max(deadline - Clock::now(), {})));
        pause = std::min(pause * 2, std::chrono::milliseconds(250));
    } while (Clock::now() < deadline);
    throw_unreachable(options, last);
}

void TcpStore::throw_unreachable(const StoreClientOptions& options, const IoResult& last) const {
    throw Error("rank 0 at " + address_ + " does not answer within " + seconds_text(options.timeout) + ": " +
                last.error +
                ". Is rank 0 running, is MASTER_ADDR an address that this node reaches, is port " +
                std::to_string(options.port) + " open between the nodes?");
}

// The store may close a connection that has not sent hello yet when strangers crowd it: that is no answer.
TcpStore::Greeted TcpStore::greet(Socket socket, const StoreClientOptions& options, IoResult& last) {
    SealedSession session(derive_key(options.token, TokenUse::EngineStore), SealedSession::Side::Dialer);
    const Clock::time_point deadline = Clock::now() + kGreeting;
    const std::string greeting =
        store_protocol::frame(std::string(store_protocol::kMagic) + session.own_nonce());
    std::string body;
    last = send_all(socket, greeting.data(), greeting.size(), deadline);
    if (last) {
        last = receive_frame(socket, body, deadline);
    }
    if (last.code == EPROTO ||
        (last && (!body.starts_with(store_protocol::kMagic) ||
                  !session.begin(std::string_view(body).substr(store_protocol::kMagic.size()), "")))) {
        throw Error("the program at " + address_ +
                    " is not rank 0 of this run: it speaks another protocol. Choose another master_port.");
    }
    if (!last) {
        return Greeted::TryAgain;
    }
    connection_.emplace(std::move(socket), std::move(session));
    return hello(options, last);
}

TcpStore::Greeted TcpStore::hello(const StoreClientOptions& options, IoResult& last) {
    std::string body;
    last = exchange({static_cast<std::uint8_t>(Op::hello),
                     {std::to_string(options.rank), std::to_string(options.world_size),
                      options.watch ? "watch" : "member"}},
                    body, Clock::now() + kGreeting);
    if (!last) {
        connection_.reset();
        return Greeted::TryAgain;
    }
    if (body == store_protocol::kRefusal) {
        throw Error("rank 0 at " + address_ +
                    " has another RANKSCOPE_TOKEN than this rank: they belong to different runs. Another run "
                    "may use the same master_port.");
    }
    const auto answer = connection_->open(body);
    if (!answer) {
        throw Error("the program at " + address_ +
                    " does not have this run's RANKSCOPE_TOKEN: it is not rank 0 of this run");
    }
    if (answer->kind != static_cast<std::uint8_t>(Status::ok)) {
        throw Error("rank 0 at " + address_ + " refuses this rank: " +
                    (answer->fields.empty() ? "no reason given" : answer->fields[0]));
    }
    return Greeted::Yes;
}

IoResult TcpStore::exchange(const Message& request, std::string& body, Clock::time_point deadline) {
    const std::string frame = connection_->frame(request);
    IoResult result = send_all(connection_->socket(), frame.data(), frame.size(), deadline);
    return result ? receive_frame(connection_->socket(), body, deadline) : result;
}

Message TcpStore::call(Op op, std::vector<std::string> fields, Clock::time_point deadline) {
    const std::lock_guard lock(mutex_);
    std::string body;
    const IoResult result = exchange({static_cast<std::uint8_t>(op), std::move(fields)}, body, deadline);
    if (result.status == IoStatus::timeout) {
        throw Error("rank 0 at " + address_ + " does not answer");
    }
    if (!result) {
        throw PeerLostError("rank 0 at " + address_ + " is gone: " + result.error, 0);
    }
    auto message = connection_->open(body);
    if (!message) {
        throw Error("a message from rank 0 at " + address_ + " is forged or damaged");
    }
    return *message;
}

void TcpStore::set(const std::string& key, const std::string& value) {
    call(Op::set, {key, value}, Clock::now() + kAnswer);
}

std::optional<std::string> TcpStore::get(const std::string& key, std::chrono::milliseconds timeout) {
    Message answer = call(Op::get, {key, std::to_string(timeout.count())}, Clock::now() + timeout + kAnswer);
    if (answer.kind != static_cast<std::uint8_t>(Status::ok) || answer.fields.empty()) {
        return std::nullopt;
    }
    return std::move(answer.fields[0]);
}

std::int64_t TcpStore::add(const std::string& key, std::int64_t delta) {
    const Message answer = call(Op::add, {key, std::to_string(delta)}, Clock::now() + kAnswer);
    std::int64_t value = 0;
    if (!answer.fields.empty()) {
        const std::string& text = answer.fields[0];
        std::from_chars(text.data(), text.data() + text.size(), value);
    }
    return value;
}

std::vector<bool> TcpStore::check(const std::vector<std::string>& keys) {
    const Message answer = call(Op::check, keys, Clock::now() + kAnswer);
    std::vector<bool> present;
    for (std::size_t i = 0; i < keys.size(); ++i) {
        present.push_back(i < answer.fields.size() && answer.fields[i] == "1");
    }
    return present;
}

void TcpStore::fail(const std::string& reason) {
    constexpr std::size_t kLongest = 2000;
    call(Op::fail, {reason.substr(0, kLongest)}, Clock::now() + std::chrono::seconds(2));
}

void TcpStore::bye() {
    call(Op::bye, {}, Clock::now() + std::chrono::seconds(2));
}

}  // namespace rankscope::engine
