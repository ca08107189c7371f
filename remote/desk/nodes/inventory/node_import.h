// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <remote/desk/nodes/inventory/inventory.h>

#include <filesystem>
#include <string>
#include <vector>

namespace rankscope::inline nodes {

enum class ImportFormat {
    Auto,       ///< recognised from the text
    SshConfig,  ///< ssh_config(5): every Host alias without wildcards; the rest stays ssh_config's business
    HostList,   ///< a node a line: name, address, user@host:port, "name address", /etc/hosts; comments
    DeepSpeed,  ///< a node a line with its attributes: "worker-1 slots=4"; Open MPI's, Ansible's
};

/// One line's outcome. Every line that is not blank or a comment gets one, or a problem.
struct ImportedNode {
    NodeSpec node;
    std::string where;  ///< "hosts.txt:12"
    bool taken = true;  ///< goes into the inventory
    std::string note;   ///< why not, or what was made of it
};

struct NodeImport {
    ImportFormat format = ImportFormat::Auto;  ///< the one that was found
    std::vector<ImportedNode> nodes;
    std::vector<Failure> problems;  ///< lines that are none of it, each with file and line

    std::vector<NodeSpec> taken() const;
};

/// Reads a list of machines. `name` is for messages and, for ssh_config, where Include looks (a path). A node
/// whose name is in the inventory, or came earlier, is not taken and says so; nothing is dropped silently.
NodeImport import_nodes(const std::string& text, const std::string& name, ImportFormat format,
                        const Inventory& inventory);

/// "node[01-03,7]" → node01 node02 node03 node7, as Slurm writes them. Nothing: not well-formed, or more than
/// 10,000 names.
std::vector<std::string> expand_host_range(const std::string& word);

}  // namespace rankscope::inline nodes
