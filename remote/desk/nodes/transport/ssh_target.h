// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <base/failure.h>
#include <remote/desk/nodes/inventory/inventory.h>

#include <map>
#include <stop_token>
#include <string>
#include <vector>

namespace rankscope::inline nodes {

/// What the inventory and ssh_config say together, for one node.
struct SshTarget {
    std::string node;
    std::string alias;  ///< what the inventory calls the host: the word that ssh_config's Host lines match
    std::string host;   ///< the name or address that is connected to
    int port = 22;
    std::string user;
    std::vector<std::string> identity_files;  ///< in the order in which they are tried; "~" is not expanded
    bool identities_named = false;            ///< by the inventory or ssh_config, not ssh's own default names
    bool identities_only = false;
    std::vector<std::string> certificate_files;
    std::string proxy_jump;                ///< "a,b": several jumps
    std::string proxy_command;             ///< empty where there is a proxy_jump
    std::vector<std::string> known_hosts;  ///< the user's file first
    double connect_timeout_s = 0;          ///< 0: not given
    /// Every option as `ssh -G` names it, the last of those that come more than once; empty when libssh has
    /// read the configuration.
    std::map<std::string, std::string> options;

    std::string account() const { return user + '@' + host; }
    std::string option(const std::string& name) const;
    bool is_on(const std::string& name) const;
};

/// Asks `ssh -G`, with what the inventory says on its command line: what ssh itself would do is what is shown
/// and done. Without an ssh binary libssh reads the files (Host, Match, Include, but not every option).
/// Faults in ssh_config fail with code "ssh-config" and name file and line.
Result<SshTarget> resolve_ssh_target(const NodeSpec& node, const std::stop_token& stop = {});

/// What `ssh -G` says without any configuration: what differs in a target is a user's or an administrator's choice. Asked
/// once per program.
const SshTarget& ssh_defaults(const std::stop_token& stop = {});

/// What `ssh -G` printed, for the node. For resolve_ssh_target and tests.
SshTarget parse_resolved_options(const NodeSpec& node, const std::string& printed);

/// ssh takes the home from the password file, this program from $HOME. Where they differ (sudo, tests), ssh
/// reads in these words which configuration is meant.
std::vector<std::string> ssh_config_argument();

/// "trainer@10.0.0.11:22 through login with ~/.ssh/id_ed25519". `key`: the one that was accepted; empty: the
/// first that will be offered.
std::string describe_target(const SshTarget& target, const std::string& key = {});

/// A path of ssh_config with "~" and its %-tokens (%d %h %n %p %r %u %%) replaced.
std::string expand_ssh_path(const SshTarget& target, const std::string& path);
/// The same with the home folder written "~", for users.
std::string shorten_home(const std::string& path);

}  // namespace rankscope::inline nodes
