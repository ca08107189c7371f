// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <remote/agent/link/peer_channel.h>

#include <sodium/core.h>
#include <sodium/crypto_generichash.h>
#include <sodium/crypto_secretbox.h>
#include <sodium/randombytes.h>
#include <sys/socket.h>

#include <cerrno>
#include <string_view>

namespace rankscope::agent {
namespace {

constexpr std::string_view kGreeting = "RANKSCOPE-PEER 1\n";
constexpr std::size_t kNonceBytes = 32;
constexpr std::uint64_t kMaxUnproven = 4096;  // who has not shown the token cannot make us keep more
constexpr std::size_t kMaxQueued = 1U << 20U;

const unsigned char* bytes_of(std::string_view text) {
    return reinterpret_cast<const unsigned char*>(text.data());
}

// Never the same twice with one key: the direction, and the number of the message in it.
std::array<unsigned char, crypto_secretbox_NONCEBYTES> nonce_of(PeerChannel::Side from,
                                                                std::uint64_t number) {
    std::array<unsigned char, crypto_secretbox_NONCEBYTES> nonce{};
    nonce[0] = from == PeerChannel::Side::Hub ? 'h' : 's';
    for (std::size_t i = 0; i < 8; ++i) {
        nonce[i + 1] = static_cast<unsigned char>(number >> (8 * i));
    }
    return nonce;
}

PeerChannel::Side other(PeerChannel::Side side) {
    return side == PeerChannel::Side::Hub ? PeerChannel::Side::Spoke : PeerChannel::Side::Hub;
}

}  // namespace

PeerChannel::PeerChannel(UniqueFd fd, Side side, std::string token, std::string run_id)
    : fd_(std::move(fd)), side_(side), token_(std::move(token)), run_id_(std::move(run_id)) {
    [[maybe_unused]] static const int ready = sodium_init();
    own_nonce_.resize(kNonceBytes);
    ::randombytes_buf(own_nonce_.data(), own_nonce_.size());
    append_frame(queued_, std::string(kGreeting) + own_nonce_);
}

bool PeerChannel::greet(std::string_view payload) {
    if (payload.size() != kGreeting.size() + kNonceBytes || !payload.starts_with(kGreeting)) {
        return false;
    }
    const std::string theirs(payload.substr(kGreeting.size()));
    if (theirs == own_nonce_) {
        return false;  // an echo
    }
    std::array<unsigned char, 32> secret{};
    ::crypto_generichash(secret.data(), secret.size(), bytes_of(token_), token_.size(), nullptr, 0);
    const std::string bound =
        std::string(kGreeting) + (side_ == Side::Hub ? own_nonce_ + theirs : theirs + own_nonce_) + run_id_;
    ::crypto_generichash(key_.data(), key_.size(), bytes_of(bound), bound.size(), secret.data(),
                         secret.size());
    keyed_ = true;
    for (const auto& message : waiting_) {
        seal(message);
    }
    waiting_.clear();
    return true;
}

bool PeerChannel::open(std::string_view sealed, wire::PeerMessage& message) {
    if (sealed.size() < crypto_secretbox_MACBYTES) {
        return false;
    }
    std::string plain(sealed.size() - crypto_secretbox_MACBYTES, '\0');
    const auto nonce = nonce_of(other(side_), received_);
    if (::crypto_secretbox_open_easy(reinterpret_cast<unsigned char*>(plain.data()), bytes_of(sealed),
                                     sealed.size(), nonce.data(), key_.data()) != 0) {
        return false;
    }
    ++received_;
    return message.ParseFromString(plain);
}

void PeerChannel::seal(const wire::PeerMessage& message) {
    const std::string plain = message.SerializeAsString();
    std::string sealed(plain.size() + crypto_secretbox_MACBYTES, '\0');
    const auto nonce = nonce_of(side_, sent_++);
    ::crypto_secretbox_easy(reinterpret_cast<unsigned char*>(sealed.data()), bytes_of(plain), plain.size(),
                            nonce.data(), key_.data());
    append_frame(queued_, sealed);
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
            if (!keyed_ ? !greet(*payload) : !open(*payload, message)) {
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
    if (keyed_) {
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
