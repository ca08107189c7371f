// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <remote/desk/nodes/deploy/python_requirements.h>
#include <remote/desk/nodes/deploy/python_wheels.h>
#include <remote/desk/nodes/deploy/user_tree.h>

#include <filesystem>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>

namespace rankscope::inline nodes {

/// What the nodes of a run need to make its Python environment, got once for all of them. Any thread; who asks for what
/// another thread gets waits for it.
class EnvironmentSource {
public:
    explicit EnvironmentSource(RequirementsSource source) : source_(std::move(source)) {}
    EnvironmentSource(const EnvironmentSource&) = delete;
    EnvironmentSource& operator=(const EnvironmentSource&) = delete;
    ~EnvironmentSource();

    const Result<PythonRequirements>& requirements(const std::stop_token& stop);
    /// The wheels of all packages for nodes with this Python. They are in a folder that this object removes.
    const Result<UserTree>& wheels(const PythonTarget& target, const std::stop_token& stop,
                                   const std::function<void(const std::string& line)>& progress);
    /// uv of this computer as the file "uv"; nothing: it is not installed, or nodes with this processor cannot run it.
    std::optional<UserTree> uv_for(const std::string& machine) const;

private:
    Result<UserTree> get_wheels(const PythonTarget& target, const std::stop_token& stop,
                                const std::function<void(const std::string& line)>& progress);

    const RequirementsSource source_;
    std::mutex mutex_;
    std::optional<Result<PythonRequirements>> requirements_;
    std::map<PythonTarget, Result<UserTree>> wheels_;
    std::filesystem::path folder_;  ///< empty: none was made
};

}  // namespace rankscope::inline nodes
