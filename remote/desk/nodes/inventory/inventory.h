// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <base/failure.h>

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace rankscope::inline nodes {

/// One machine, as cluster.yaml names it (design page, "Inventory").
struct NodeSpec {
    std::string name;  ///< unique; "local" is this machine, without SSH
    std::string host;  ///< name, address or ssh_config alias; default: name
    int port = 0;      ///< 0: 22, or what ssh_config says
    std::string user;  ///< empty: what ssh_config says, else this user
    std::string identity_file;
    std::string proxy_jump;
    std::string transport;  ///< "libssh", "openssh"; empty or "auto": what the node needs
    bool gpus_auto = true;
    std::vector<int> gpus;  ///< when !gpus_auto
    int cpu_slots = 0;      ///< ranks when there is no GPU; 0: not given, one is used
    std::string address;    ///< what the other nodes use for MASTER_ADDR; empty: found out
    std::string cache_dir;  ///< where agent and worker are kept on the node; empty: ~/.cache/rankscope
    bool local = false;
    std::string group;  ///< nodes that are shown and chosen together; empty: none

    bool operator==(const NodeSpec&) const = default;
};

struct Inventory {
    std::filesystem::path file;  ///< empty: made up (local only)
    std::vector<NodeSpec> nodes;

    const NodeSpec* find(const std::string& name) const;
    /// The names of the groups, sorted.
    std::vector<std::string> groups() const;
};

inline constexpr const char* kLocalNodeName = "local";

/// This machine as a node, without SSH: always there, under the name "local".
NodeSpec local_node();

/// ~/.config/rankscope/cluster.yaml (XDG_CONFIG_HOME honoured).
std::filesystem::path default_inventory_path();

/// Reads cluster.yaml. Every fault (wrong key, type, value, a name twice) is one Failure that names file,
/// line, key and what would be right; all of them are returned, so that users fix the file in one go.
/// A missing default file is an empty inventory; a missing named file is a fault.
struct InventoryRead {
    Inventory inventory;
    std::vector<Failure> problems;
};
InventoryRead read_inventory(const std::filesystem::path& file, bool must_exist);
InventoryRead parse_inventory(const std::string& yaml, const std::filesystem::path& file);

/// Replaces the whole file, atomically (temporary file, fsync, rename), mode 0600. Keys with default
/// values are left out.
Result<void> write_inventory(const Inventory& inventory, const std::filesystem::path& file);
std::string to_yaml(const Inventory& inventory);

/// Faults of one node's fields, for forms: field name → what would be right. Empty: fine.
std::vector<Failure> check_node(const NodeSpec& node);

}  // namespace rankscope::inline nodes
