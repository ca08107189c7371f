// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <remote/desk/nodes/session/agent_link.h>

#include <cstdint>
#include <deque>
#include <string>

namespace rankscope::inline nodes {

/// The pieces of a push that the agent has not answered yet: enough that the network never waits for an
/// answer, few enough for little memory. Reports progress as they are answered.
class PiecesUnderWay {
public:
    /// `what`: what is pushed, for users. `total`: bytes of all pieces together.
    PiecesUnderWay(AgentLink& link, std::uint64_t total, std::string what,
                   const AgentLink::Progress& progress);

    /// `bytes`: of the files, before they were packed. Waits for the oldest piece where too many are under
    /// way.
    Result<void> send(wire::Request piece, std::uint64_t bytes);
    /// Waits for all of them.
    Result<void> finish();

private:
    struct Waiting {
        std::uint64_t id;
        std::uint64_t bytes;
    };
    Result<void> take_one();

    AgentLink& link_;
    std::uint64_t total_;
    std::string what_;
    const AgentLink::Progress& progress_;
    std::deque<Waiting> waiting_;
    std::uint64_t done_ = 0;
};

}  // namespace rankscope::inline nodes
