// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

// The lines that start and receive the agent, given to every login shell that is installed here.

#include "support/run_program.h"
#include "support/scoped_environment.h"
#include "support/temporary_folder.h"

#include <base/files.h>
#include <remote/desk/node/agent_script.h>
#include <remote/wire/frame_codec.h>

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/utsname.h>

namespace rankscope {
namespace {

namespace fs = std::filesystem;
using test::run_program;

class AgentScript : public testing::TestWithParam<const char*> {
protected:
    void SetUp() override {
        shell_ = test::find_on_path(GetParam());
        if (shell_.empty()) {
            GTEST_SKIP() << GetParam() << " is not installed here";
        }
        agent_ = find_agent_binary().value();
    }
    test::ProgramResult run(const std::string& line, const std::string& input = {}) const {
        return run_program({shell_, "-c", line}, input);
    }
    fs::path target() const { return dir_ / ("bin/rankscope-agent-" + agent_.hash.substr(0, 32)); }

    test::TemporaryFolder folder_;
    test::ScopedEnvironment home_{"HOME", folder_.path().string()};
    fs::path dir_ = folder_ / "it's a cache";
    std::string shell_;
    AgentBinary agent_;
};

TEST_P(AgentScript, AsksForTheAgentReceivesItAndStartsIt) {
    const std::string start = start_agent_script(agent_, dir_.string());
    const auto first = run(start);
    EXPECT_EQ(first.status, kExitNeedAgent) << first.errors;
    utsname name{};
    ::uname(&name);
    EXPECT_EQ(first.output, kNeedAgentMarker + std::string(name.sysname) + ' ' + name.machine + '\n');
    const auto received = run(receive_agent_script(agent_, dir_.string()), read_file(agent_.file).value());
    EXPECT_EQ(received.status, 0) << received.errors;
    EXPECT_EQ(fs::file_size(target()), agent_.size);
    const auto started = run(start);  // its input ends at once, and so does it
    EXPECT_EQ(started.status, 0) << started.errors;
    EXPECT_EQ(started.output.substr(0, kAgentGreeting.size()), kAgentGreeting);
}

TEST_P(AgentScript, SaysWhatWentWrong) {
    const std::string bytes = read_file(agent_.file).value();
    const std::string receive = receive_agent_script(agent_, dir_.string());
    EXPECT_EQ(run(receive, bytes.substr(1)).status, kExitDamaged) << "too short";
    std::string changed = bytes;
    changed[1000] = static_cast<char>(changed[1000] ^ 1);
    EXPECT_EQ(run(receive, changed).status, kExitDamaged) << "another checksum";
    EXPECT_EQ(run(receive, "").status, kExitDamaged) << "nothing";
    EXPECT_TRUE(fs::is_empty(dir_ / "bin")) << "nothing is left of it";
    test::write_text(target(), "not executable");
    const auto started = run(start_agent_script(agent_, dir_.string()));
    EXPECT_EQ(started.status, kExitNotExecutable);
    EXPECT_EQ(started.output, target().string() + '\n');
    test::write_text(folder_ / "file", "");
    EXPECT_EQ(run(receive_agent_script(agent_, (folder_ / "file/below").string()), bytes).status,
              kExitCannotMakeFolder);
}

TEST_P(AgentScript, KnowsTheDefaultFolders) {
    const test::ScopedEnvironment cache("XDG_CACHE_HOME", std::nullopt);
    const std::string bytes = read_file(agent_.file).value();
    EXPECT_EQ(run(receive_agent_script(agent_, ""), bytes).status, 0);
    EXPECT_TRUE(fs::exists(folder_ / ".cache/rankscope/bin" / target().filename()));
    EXPECT_EQ(run(receive_agent_script(agent_, "~/my scratch"), bytes).status, 0);
    EXPECT_TRUE(fs::exists(folder_ / "my scratch/bin" / target().filename()));
    const test::ScopedEnvironment own("XDG_CACHE_HOME", (folder_ / "xdg").string());
    EXPECT_EQ(run(receive_agent_script(agent_, ""), bytes).status, 0);
    EXPECT_TRUE(fs::exists(folder_ / "xdg/rankscope/bin" / target().filename()));
}

INSTANTIATE_TEST_SUITE_P(Shells, AgentScript,
                         testing::Values("sh", "dash", "bash", "zsh", "fish", "csh", "tcsh", "ksh"),
                         [](const auto& shell) { return std::string(shell.param); });

}  // namespace
}  // namespace rankscope
