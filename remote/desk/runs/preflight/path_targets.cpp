// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <remote/desk/runs/preflight/pairs_to_try.h>
#include <remote/desk/runs/preflight/path_targets.h>

#include <utility>

namespace rankscope::inline runs {
namespace {

constexpr std::size_t kMaster = 0;

/// All connections from one node to another one.
class Targets {
public:
    Targets(const PreflightNode& source, const PreflightNode& target, PathResult path, bool master_port)
        : source_(source), target_(target), path_(std::move(path)), master_port_(master_port) {}

    void add_to(std::vector<PathResult>& all) const {
        std::string chosen = target_.view.address;
        if (!is_numeric(chosen)) {
            for (const auto& name : source_.view.host.names()) {
                if (name.name() == chosen && name.addresses_size() > 0) {
                    chosen = name.addresses(0);
                }
            }
        }
        if (is_numeric(chosen)) {
            add_address(chosen, target_.view.interface_name, true, all);
        }
        for (const auto& interface : target_.view.host.interfaces()) {
            for (const auto& address : interface.addresses()) {
                if (interface.up() && !interface.loopback() && !is_link_local(address) &&
                    !is_loopback(address) && address != chosen &&
                    interface_of(source_.view, address) == nullptr) {
                    add_address(address, interface.name(), false, all);
                }
            }
        }
    }

private:
    void add_address(const std::string& address, const std::string& interface_name, bool chosen,
                     std::vector<PathResult>& all) const {
        for (std::size_t i = 0; i < target_.ports.size(); ++i) {
            const bool is_master_port = i == 0 && master_port_;
            const auto& port = target_.ports[i];
            if (port.error() != 0 || port.port() == 0 ||
                !(chosen || is_master_port || i == target_.ports.size() - 1)) {
                continue;
            }
            PathResult path = path_;
            path.master_port = is_master_port;
            path.chosen = chosen;
            path.interface_name = interface_name;
            path.address = address;
            path.port = static_cast<int>(port.port());
            all.push_back(std::move(path));
        }
    }

    const PreflightNode& source_;
    const PreflightNode& target_;
    PathResult path_;
    bool master_port_;
};

}  // namespace

std::vector<PathResult> paths_to_try(const std::vector<PreflightNode>& nodes, bool master_port) {
    std::vector<PathResult> all;
    for (const auto& [from, to] : pairs_to_try(nodes.size(), kMaster)) {
        if (nodes[from].inspected && nodes[to].inspected) {
            PathResult path;
            path.from = from;
            path.to = to;
            Targets(nodes[from], nodes[to], path, master_port && to == kMaster).add_to(all);
        }
    }
    return all;
}

}  // namespace rankscope::inline runs
