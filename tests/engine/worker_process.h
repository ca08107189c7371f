// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <nlohmann/json.hpp>
#include <sys/types.h>

#include <chrono>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace rankscope::engine::test {

/// One real rankscope-worker, its output in files of `folder`. Killed at the end if it still runs.
class WorkerProcess {
public:
    WorkerProcess(const std::filesystem::path& folder, const std::string& name,
                  const std::vector<std::string>& arguments,
                  const std::map<std::string, std::string>& environment,
                  const std::string& network_namespace = "");
    ~WorkerProcess();
    WorkerProcess(WorkerProcess&& other) noexcept;
    WorkerProcess(const WorkerProcess&) = delete;
    WorkerProcess& operator=(const WorkerProcess&) = delete;
    WorkerProcess& operator=(WorkerProcess&&) = delete;

    /// Exit code, or 128 + signal; nothing when it does not end in time.
    std::optional<int> wait(std::chrono::milliseconds timeout);
    void signal(int number) const;
    std::string errors() const;
    std::string output() const;
    std::vector<nlohmann::json> metrics() const;
    /// The values of one key over all metric lines that have it.
    std::vector<double> series(const std::string& key) const;
    /// The last text of a key ("params").
    std::string text(const std::string& key) const;

private:
    std::filesystem::path base_;
    pid_t process_ = 0;
    std::optional<int> result_;
};

/// A world of workers on this machine, all with the same configuration.
std::vector<WorkerProcess> start_world(const std::filesystem::path& folder, int world,
                                       const nlohmann::json& config,
                                       const std::vector<std::string>& arguments = {});

/// A TCP port that was free a moment ago.
int free_port();

}  // namespace rankscope::engine::test
