// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include "support/wait_until.h"

#include <base/fd.h>
#include <remote/wire/frame_codec.h>
#include <remote/wire/frames.pb.h>

#include <gtest/gtest.h>
#include <sys/types.h>

#include <functional>
#include <map>
#include <string>
#include <vector>

namespace rankscope::test {

/// `rankscope-agent serve` as a child of the test, spoken to in frames over its pipes.
class AgentClient {
public:
    /// `command` is what starts it; empty: the agent beside the test.
    explicit AgentClient(const std::string& cache_dir, const std::vector<std::string>& command = {});
    ~AgentClient();
    AgentClient(const AgentClient&) = delete;
    AgentClient& operator=(const AgentClient&) = delete;

    std::uint64_t send(wire::Request request);
    void send_bytes(const std::string& bytes);
    /// The reply of one request; an empty one, and a failed test, when none comes.
    wire::Reply call(wire::Request request);
    /// Events of all attachments so far, in order of their arrival.
    const std::vector<wire::Event>& events() const { return events_; }
    /// Reads until the condition holds.
    bool wait_for(const std::function<bool()>& condition, double seconds = kPatience);
    bool has_end() const { return !events_.empty() && events_.back().has_end(); }
    /// Waits for the End of the attached run.
    bool wait_for_end() {
        return wait_for([this] { return has_end(); });
    }
    pid_t pid() const { return pid_; }
    /// SIGKILL.
    void kill();
    /// Closes its stdin and waits for its end; the exit status, or -1.
    int finish();
    bool damaged() const { return frames_.damaged(); }

private:
    void read_some(int timeout_ms);

    pid_t pid_ = -1;
    UniqueFd input_;
    UniqueFd output_;
    GreetingSkipper greeting_;
    bool greeted_ = false;
    FrameReader frames_;
    std::uint64_t next_id_ = 1;
    std::map<std::uint64_t, wire::Reply> replies_;
    std::vector<wire::Event> events_;
};

}  // namespace rankscope::test
