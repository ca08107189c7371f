// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <base/event_loop.h>
#include <remote/agent/probes/probe_listener.h>
#include <remote/wire/frames.pb.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <vector>

namespace rankscope::test {

/// A token for the node of that name.
std::string probe_token(const std::string& node);

/// A ProbeListener in a loop and a thread of its own, in a network namespace (a path; empty: this one).
class ProbeNode {
public:
    explicit ProbeNode(const std::string& namespace_path = {});
    ~ProbeNode();
    ProbeNode(const ProbeNode&) = delete;
    ProbeNode& operator=(const ProbeNode&) = delete;

    wire::ProbePorts open(const wire::OpenProbePorts& request);
    /// One port; 0: it could not be opened.
    std::uint16_t open(const std::string& token, std::uint16_t port = 0, double seconds = 60);
    /// Runs there.
    void call(const std::function<void()>& work);

private:
    EventLoop loop_;
    std::unique_ptr<agent::ProbeListener> listener_;
    std::thread thread_;
};

}  // namespace rankscope::test
