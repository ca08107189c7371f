// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <remote/agent/link/peer_channel.h>

#include <sys/socket.h>

#include <cerrno>
#include <string_view>

namespace rankscope::agent {
namespace {

constexpr std::string_view kGreeting = "RANKSCOPE-PEER 2\n";
constexpr std::uint64_t kMaxUnproven = 4096;  // who has not shown the token cannot make us keep more
constexpr std::size_t kMaxQueued = 1U << 20U;

SealedSession::Side side_of(PeerChannel::Side side) {
    return side == PeerChannel::Side::Hub ? SealedSession::Side::Listener : SealedSession::Side::Dialer;
}

}  // namespace

PeerChannel::PeerChannel(UniqueFd fd, Side side, const std::string& token, std::string run_id)
    : fd_(std::move(fd)),
      run_id_(std::move(run_id)),
      session_(derive_key(token, TokenUse::PeerLink), side_of(side)) {
    append_frame(queued_, std::string(kGreeting) + session_.own_nonce());
}

bool PeerChannel::greet(std::string_view payload) {
    if (!payload.starts_with(kGreeting) || !session_.begin(payload.substr(kGreeting.size()), run_id_)) {
        return false;
    }
    for (const auto& message : waiting_) {
        seal(message);
    }
    waiting_.clear();
    return true;
}

bool PeerChannel::open(std::string_view sealed, wire::PeerMessage& message) {
    const auto plain = session_.open(sealed);
    return plain && message.ParseFromString(*plain);
}

void PeerChannel::seal(const wire::PeerMessage& message) {
    append_frame(queued_, session_.seal(message.SerializeAsString()));
}

std::vector<wire::PeerMessage> PeerChannel::read() {
    std::vector<wire::PeerMessage> messages;
    std::array<char, 16384> bytes;
    while (state_ == State::Open) {
        const auto got = ::recv(fd_.get(), bytes.data(), bytes.size(), MSG_DONTWAIT);
        if (got < 0 && errno == EINTR) {
            continue;
        }
        if (got < 0 && errno == EAGAIN) {
            break;
        }
        if (got <= 0) {
            state_ = got == 0 ? State::Closed : State::Broken;
            break;
        }
        fed_ += static_cast<std::uint64_t>(got);
        frames_.feed({bytes.data(), static_cast<std::size_t>(got)});
        while (const auto payload = frames_.next()) {
            wire::PeerMessage message;
            if (!session_.begun() ? !greet(*payload) : !open(*payload, message)) {
                state_ = State::Refused;
                break;
            }
            if (message.body_case() != wire::PeerMessage::BODY_NOT_SET) {
                messages.push_back(std::move(message));
            }
        }
        if (frames_.damaged() || (!proven() && fed_ > kMaxUnproven)) {
            state_ = State::Refused;
        }
    }
    return messages;
}

void PeerChannel::send(const wire::PeerMessage& message) {
    if (queued_.size() > kMaxQueued) {
        return;  // nothing goes through any more: the silence will be noticed
    }
    if (session_.begun()) {
        seal(message);
    } else {
        waiting_.push_back(message);
    }
}

void PeerChannel::flush() {
    while (state_ == State::Open && !queued_.empty()) {
        const auto put = ::send(fd_.get(), queued_.data(), queued_.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
        if (put < 0 && errno == EINTR) {
            continue;
        }
        if (put < 0) {
            if (errno != EAGAIN) {
                state_ = State::Broken;
            }
            return;
        }
        queued_.erase(0, static_cast<std::size_t>(put));
    }
}

}  // namespace rankscope::agent
