// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include "support/temporary_folder.h"

#include <base/fd.h>
#include <remote/desk/runs/preflight/firewall/flow.h>
#include <remote/wire/frames.pb.h>

#include <sys/types.h>

#include <filesystem>
#include <string>
#include <vector>

namespace rankscope::test {

/// This process in network and mount namespaces of its own, joined to those of a peer by a cable (ens1, 10.99.0.1 and
/// .2, fd99::1 and ::2), where real firewalls can be set up. Everything listens.
class FirewalledNode {
public:
    FirewalledNode();
    FirewalledNode(const FirewalledNode&) = delete;
    FirewalledNode& operator=(const FirewalledNode&) = delete;
    ~FirewalledNode();

    /// Empty, or why it cannot be here. Again: from the start.
    std::string start(const std::vector<std::string>& programs);
    /// Runs commands at the node; empty, or what they said and that they failed. `sudo` does nothing here.
    std::string sh(const std::string& commands) const;
    /// iptables and its relatives are those of this backend from now on: nft or legacy.
    void use_iptables(const std::string& backend);
    /// Empty, or why it does not run.
    std::string start_firewalld();

    /// What really becomes of the connection. An accepted one may take long; what is dropped is waited for briefly.
    FirewallAnswer connect(const FirewallFlow& flow, FirewallAnswer expected) const;

    /// What the agent reports; asked again for a while when a program was late.
    wire::Firewall inspected() const;
    /// What nft alone sees.
    wire::Firewall nftables() const;
    /// All rules in force, and those kept for a restart, without counters and handles: to be compared.
    std::string rules() const;

private:
    std::string output(const std::string& commands) const;
    void stop();
    bool spawn(const std::vector<std::string>& argv);

    TemporaryFolder folder_;  // programs that stand in for others, and the private copies of /etc
    std::string path_;        // $PATH as it was
    std::filesystem::path working_folder_;
    UniqueFd node_;
    UniqueFd peer_;
    UniqueFd original_;
    UniqueFd original_mounts_;
    std::vector<pid_t> daemons_;
};

}  // namespace rankscope::test
