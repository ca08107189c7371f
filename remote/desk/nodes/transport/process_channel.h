// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <base/fd.h>
#include <remote/desk/nodes/transport/transport.h>

#include <map>
#include <stop_token>
#include <string>
#include <vector>

namespace rankscope::inline nodes {

/// A program of this computer as a channel.
class Program : public Channel {
public:
    /// SIGKILL, with all of its process group.
    virtual void kill() = 0;
    /// Like wait(), for several descriptors.
    virtual void wait_with(int timeout_ms, const std::vector<int>& readable) = 0;
};

/// Starts a program of this computer in a session of its own and gives its three streams. `environment`
/// is added to ours. Destroying the channel closes them; what has not ended a second later is killed.
/// `stdio`: becomes its input and output, and only the errors are a stream of the channel.
Result<std::unique_ptr<Program>> start_program(const std::vector<std::string>& argv,
                                               const std::map<std::string, std::string>& environment = {},
                                               UniqueFd stdio = {});

struct Captured {
    std::optional<int> status;  ///< nothing: ended by a signal, or by us
    std::string output;
    std::string errors;
    bool timed_out = false;
};

/// Runs it to its end with empty input, at most `timeout_s` or until `stop`ped.
Result<Captured> capture_program(const std::vector<std::string>& argv,
                                 const std::map<std::string, std::string>& environment, double timeout_s,
                                 const std::stop_token& stop);

}  // namespace rankscope::inline nodes
