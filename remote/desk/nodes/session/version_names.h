// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <remote/desk/nodes/session/node_facts.h>
#include <remote/wire/frames.pb.h>

#include <map>
#include <string>
#include <vector>

namespace rankscope::inline nodes {

/// What users compare of the versions that a host inspection found: driver, CUDA, NCCL, cuDNN, PyTorch, Python; by
/// the names of wire::Version. Other names and what is not installed are left out.
std::map<std::string, std::string> library_versions(const wire::HostInspection& host);

/// "PyTorch"; empty for a name that library_versions() leaves out.
std::string version_label(const std::string& name);

/// "Python 3.11.2, PyTorch 2.9.0": those of a node, in one line.
std::string libraries_text(const NodeFacts& facts);

/// "Versions: Python 3.11.2, PyTorch 2.9.0"; where nodes differ a line for those that agree: "Versions on node1, node2: …".
/// Nodes of which nothing is known are left out.
std::vector<std::string> version_lines(const std::map<std::string, NodeFacts>& facts);

}  // namespace rankscope::inline nodes
