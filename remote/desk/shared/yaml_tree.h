// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <base/config/config_node.h>
#include <base/config/config_problem.h>
#include <base/failure.h>

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace rankscope {

/// YAML text as a tree with lines. A syntax error, text that is not UTF-8 and nesting or aliases without end
/// are problems, and nothing is returned; keys given twice, at any depth, are problems as well.
std::optional<config::ConfigNode> read_yaml(const std::string& text, config::ConfigProblems& problems);

/// Faults of a file: code "bad-file", `where` "job.yaml:3", and key, file and line.
std::vector<Failure> failures_of(const config::ConfigProblems& problems, const std::filesystem::path& file);

}  // namespace rankscope
