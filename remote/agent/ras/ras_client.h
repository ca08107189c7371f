// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <cstdint>
#include <stop_token>
#include <string>

namespace rankscope::agent {

/// A question to NCCL's RAS service, which each process of a job offers on this node (NCCL_RAS_ADDR).
struct RasQuestion {
    std::string address = "127.0.0.1";  ///< numeric, of the loopback interface: the service knows no password
    std::uint16_t port = 28028;
    /// The text form as well, of an NCCL that knows no JSON (before 2.28.7). Only where ras_text_is_sound(): others may
    /// harm the process that answers.
    bool text = false;
    double within_s = 15;  ///< RAS itself waits about ten seconds for processes that do not answer
};

enum class RasOutcome {
    Answered,
    NotLoopback,  ///< the address is not of this node alone, or no address
    Refused,      ///< no connection: nothing listens there; see `error`
    NoAnswer,     ///< connected, and no process answered in time
    NotRas,       ///< what answers there speaks another protocol
    NoJson,       ///< this NCCL knows the text form alone, which was not asked for
    Denied,       ///< RAS answered the question with an error: see `text`
};

struct RasAnswer {
    RasOutcome outcome = RasOutcome::NoAnswer;
    int error = 0;          ///< errno of Refused
    bool complete = false;  ///< RAS closed the connection, as it does after a report
    int attempts = 0;       ///< connections: the kernel may have chosen a process that is stopped
    std::string text = {};  ///< the report, as far as it has arrived: remote/observe/nccl_ras reads it
};

/// Blocks this thread for at most `within_s`. A process that is stopped accepts a connection and stays silent, or falls
/// silent in the middle: after an eighth of the time (of a report, six seconds more) another connection is tried, which
/// the kernel may give to another process of the job. The first ones stay open for a process that answers late.
/// A stop request ends it within a tenth of a second.
RasAnswer ask_ras(const RasQuestion& question, const std::stop_token& stop = {});

}  // namespace rankscope::agent
