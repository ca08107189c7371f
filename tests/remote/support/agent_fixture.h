// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include "support/agent_client.h"
#include "support/scoped_environment.h"
#include "support/temporary_folder.h"

#include <remote/agent/node/node_paths.h>

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

namespace rankscope::test {

/// A node of its own for each test: a cache folder and an agent that serves it. At the end everything that
/// was started must be gone.
class AgentFixture : public ::testing::Test {
protected:
    AgentFixture();
    void TearDown() override;

    /// A run whose ranks are scripts for /bin/sh, in the node's folder.
    wire::StartRun run_of(const std::vector<std::string>& scripts, double grace_s = 5);
    wire::Reply start(const wire::StartRun& run);
    /// Starts and attaches from the first event.
    void start_and_attach(const wire::StartRun& run);
    wire::Reply attach(AgentClient& client, const wire::StartRun& run, std::uint64_t from_seq = 1);
    void stop(const wire::StartRun& run, bool force = false,
              const std::string& cause = "stopped by the test");
    agent::RunDir dir_of(const wire::StartRun& run) const { return {paths_.run(run.run_id())}; }
    /// Processes of the run that still live.
    std::vector<pid_t> left_of(const wire::StartRun& run) const;
    bool wait_until_gone(const wire::StartRun& run) const;

    // What the attached client has heard.
    std::string log_of(int rank, bool is_stderr = false) const;
    std::vector<wire::Exit> exits_of(int rank) const;
    std::vector<wire::Stage> stages_of(int rank, wire::StageName name) const;
    std::vector<wire::Metric> metrics_of(int rank) const;
    wire::Exit exit_of(int rank) const;
    wire::End end() const;
    std::string history() const;  ///< everything, for messages

    TemporaryFolder folder_;
    ScopedEnvironment shared_memory_{"RANKSCOPE_SHM_DIR",
                                     shm_of(folder_)};  ///< the account's own is not touched
    agent::NodePaths paths_{folder_.path()};
    std::unique_ptr<AgentClient> client_;

private:
    static std::string shm_of(const TemporaryFolder& folder);

    std::vector<std::string> run_ids_;
};

}  // namespace rankscope::test
