// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <base/fd.h>
#include <base/sealed_session.h>
#include <remote/wire/frame_codec.h>
#include <remote/wire/frames.pb.h>

#include <cstdint>
#include <string>
#include <vector>

namespace rankscope::agent {

/// One connection between the supervisors of two nodes of a run. Each side first sends a greeting with its
/// nonce; everything that follows is sealed (base/sealed_session.h) with a key that is derived from the run's
/// token for this link alone. Used by one thread at a time.
class PeerChannel {
public:
    enum class Side { Hub, Spoke };  ///< the hub accepts, spokes connect
    enum class State {
        Open,
        Closed,  ///< the other side closed it: its process ended, or has no further use for it
        Broken,  ///< the network or this machine ended it
        Refused  ///< what arrived was not from a holder of this run's token, or damaged
    };

    PeerChannel(UniqueFd fd, Side side, const std::string& token, std::string run_id);

    int fd() const { return fd_.get(); }
    bool wants_to_write() const { return !queued_.empty(); }
    State state() const { return state_; }
    /// The other side has proven that it holds the token.
    bool proven() const { return session_.proven(); }
    /// Reads what has arrived, without blocking.
    std::vector<wire::PeerMessage> read();
    /// Seals and queues; until the greeting of the other side has arrived, messages wait. flush() sends.
    void send(const wire::PeerMessage& message);
    void flush();

private:
    bool greet(std::string_view payload);
    bool open(std::string_view sealed, wire::PeerMessage& message);
    void seal(const wire::PeerMessage& message);

    UniqueFd fd_;
    std::string run_id_;
    SealedSession session_;
    State state_ = State::Open;
    FrameReader frames_;
    std::uint64_t fed_ = 0;
    std::vector<wire::PeerMessage> waiting_;
    std::string queued_;
};

}  // namespace rankscope::agent
