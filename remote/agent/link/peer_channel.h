// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <base/fd.h>
#include <remote/wire/frame_codec.h>
#include <remote/wire/frames.pb.h>

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace rankscope::agent {

/// One connection between the supervisors of two nodes of a run. Each side first sends a greeting with 32
/// random bytes; both and the run's token make the key of all that follows, sealed (XSalsa20-Poly1305) and
/// numbered. So whoever does not hold the token can neither say nor read anything, a recorded conversation is
/// of no use in another, and the token itself is never sent.
class PeerChannel {
public:
    enum class Side { Hub, Spoke };  ///< the hub accepts, spokes connect
    enum class State {
        Open,
        Closed,  ///< the other side closed it: its process ended, or wants no more
        Broken,  ///< the network or this machine ended it
        Refused  ///< what came was not of a holder of this run's token, or damaged
    };

    PeerChannel(UniqueFd fd, Side side, std::string token, std::string run_id);

    int fd() const { return fd_.get(); }
    bool wants_to_write() const { return !queued_.empty(); }
    State state() const { return state_; }
    /// The other side has proven that it holds the token.
    bool proven() const { return received_ > 0; }
    /// Reads what is there, without blocking.
    std::vector<wire::PeerMessage> read();
    /// Seals and queues; what comes before the greeting of the other side waits for it. flush() sends.
    void send(const wire::PeerMessage& message);
    void flush();

private:
    bool greet(std::string_view payload);
    bool open(std::string_view sealed, wire::PeerMessage& message);
    void seal(const wire::PeerMessage& message);

    UniqueFd fd_;
    Side side_;
    std::string token_;
    std::string run_id_;
    State state_ = State::Open;
    FrameReader frames_;
    std::uint64_t fed_ = 0;
    std::string own_nonce_;
    bool keyed_ = false;
    std::array<unsigned char, 32> key_{};
    std::uint64_t sent_ = 0;
    std::uint64_t received_ = 0;
    std::vector<wire::PeerMessage> waiting_;
    std::string queued_;
};

}  // namespace rankscope::agent
