// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <engine/comm/tcp_store.h>
#include <engine/error.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <thread>

namespace rankscope::engine {
namespace {

using store_protocol::Message;
using store_protocol::Op;
using store_protocol::Status;

constexpr auto kAnswer = std::chrono::seconds(30);  // for a request that does not wait on the server

std::string seconds_text(std::chrono::milliseconds time) {
    return std::to_string(std::max<std::int64_t>(1, time.count() / 1000)) + " s";
}

}  // namespace

TcpStore::TcpStore(const StoreClientOptions& options)
    : address_(options.host + ":" + std::to_string(options.port)) {
    connect(options);
    hello(options);
}

void TcpStore::connect(const StoreClientOptions& options) {
    const Clock::time_point deadline = Clock::now() + options.timeout;
    std::chrono::milliseconds pause{10};
    IoResult last;
    do {
        // A single try is bounded as well: a firewall that drops packets must not eat the whole time.
        const auto attempt = std::min(deadline, Clock::now() + std::chrono::seconds(5));
        last = connect_tcp(options.host, options.port, attempt, &socket_);
        if (last) {
            return;
        }
        std::this_thread::sleep_for(std::min<Clock::duration>(pause, std::max(deadline - Clock::now(), {})));
        pause = std::min(pause * 2, std::chrono::milliseconds(250));
    } while (Clock::now() < deadline);
    throw Error("rank 0 at " + address_ + " does not answer within " + seconds_text(options.timeout) + ": " +
                last.error +
                ". Is rank 0 running, is MASTER_ADDR an address that this node reaches, is port " +
                std::to_string(options.port) + " open between the nodes?");
}

void TcpStore::hello(const StoreClientOptions& options) {
    Message answer;
    try {
        answer = call(Op::hello,
                      {std::string(store_protocol::kMagic), options.token, std::to_string(options.rank),
                       std::to_string(options.world_size), options.watch ? "watch" : "member"},
                      Clock::now() + kAnswer);
    } catch (const Error&) {
        throw Error("the program at " + address_ +
                    " closed the connection when this rank introduced itself: it is another program, or its "
                    "RANKSCOPE_TOKEN is not this rank's (a rank of another run?)");
    }
    if (answer.kind != static_cast<std::uint8_t>(Status::ok)) {
        throw Error("rank 0 at " + address_ +
                    " refuses this rank: " + (answer.fields.empty() ? "no reason given" : answer.fields[0]));
    }
}

Message TcpStore::call(Op op, std::vector<std::string> fields, Clock::time_point deadline) {
    const std::lock_guard lock(mutex_);
    const std::string frame = store_protocol::encode({static_cast<std::uint8_t>(op), std::move(fields)});
    IoResult result = send_all(socket_, frame.data(), frame.size(), deadline);
    std::array<unsigned char, 4> head{};
    std::string body;
    if (result) {
        result = receive_all(socket_, head.data(), head.size(), deadline);
    }
    if (result) {
        const std::size_t length = store_protocol::read_length(head.data());
        if (length > store_protocol::kMaxFrame + 16) {
            throw Error("the program at " + address_ +
                        " is not rank 0 of this run: it speaks another protocol");
        }
        body.resize(length);
        result = receive_all(socket_, body.data(), body.size(), deadline);
    }
    if (result.status == IoStatus::timeout) {
        throw Error("rank 0 at " + address_ + " does not answer");
    }
    if (!result) {
        throw PeerLostError("rank 0 at " + address_ + " is gone: " + result.error);
    }
    auto message = store_protocol::decode(body);
    if (!message) {
        throw Error("the program at " + address_ + " is not rank 0 of this run: it speaks another protocol");
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
