// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include "support/probe_node.h"

#include "support/test_network.h"

#include <future>

namespace rankscope::test {

std::string probe_token(const std::string& node) {
    std::string token = node;
    token.resize(32, '.');
    return token;
}

ProbeNode::ProbeNode(const std::string& namespace_path) {
    std::promise<void> ready;
    thread_ = std::thread([&, namespace_path] {
        enter_namespace(namespace_path);
        listener_ = std::make_unique<agent::ProbeListener>(loop_);
        ready.set_value();
        loop_.run();
        listener_.reset();
    });
    ready.get_future().wait();
}

ProbeNode::~ProbeNode() {
    loop_.stop();
    thread_.join();
}

void ProbeNode::call(const std::function<void()>& work) {
    std::promise<void> done;
    loop_.defer([&] {
        work();
        done.set_value();
    });
    done.get_future().wait();
}

wire::ProbePorts ProbeNode::open(const wire::OpenProbePorts& request) {
    wire::ProbePorts ports;
    call([&] { ports = listener_->open(request); });
    return ports;
}

std::uint16_t ProbeNode::open(const std::string& token, std::uint16_t port, double seconds) {
    wire::OpenProbePorts request;
    request.add_ports(port);
    request.set_token(token);
    request.set_seconds(seconds);
    const auto ports = open(request);
    return ports.ports(0).error() == 0 ? static_cast<std::uint16_t>(ports.ports(0).port()) : std::uint16_t{0};
}

}  // namespace rankscope::test
