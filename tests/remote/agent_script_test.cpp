// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

// The lines that start and receive the agent, given to every login shell that is installed here.

#include "support/run_program.h"
#include "support/scoped_environment.h"
#include "support/temporary_folder.h"

#include <base/files.h>
#include <remote/desk/nodes/session/agent_script.h>
#include <remote/wire/frame_codec.h>

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <cstring>

namespace rankscope {
namespace {

namespace fs = std::filesystem;
using test::run_program;

class AgentScript : public ::testing::TestWithParam<const char*> {
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

/// What the inner sh does, whatever the login shell is.
class AgentFolder : public AgentScript {};

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
    test::write_text(target(), bytes);
    fs::permissions(target(), fs::perms::owner_read);
    const auto started = run(start_agent_script(agent_, dir_.string()));
    EXPECT_EQ(started.status, kExitNotExecutable);
    EXPECT_EQ(started.output, target().string() + '\n');
    test::write_text(folder_ / "file", "");
    EXPECT_EQ(run(receive_agent_script(agent_, (folder_ / "file/below").string()), bytes).status,
              kExitCannotMakeFolder);
}

// What a full disk, a killed push or another program left under the agent's name is never started.
TEST_P(AgentFolder, ADamagedAgentIsAskedForAgain) {
    const std::string bytes = read_file(agent_.file).value();
    const std::string receive = receive_agent_script(agent_, dir_.string());
    ASSERT_EQ(run(receive, bytes).status, 0);
    std::string changed = bytes;
    changed[1000] = static_cast<char>(changed[1000] ^ 1);
    for (const std::string& content : {bytes.substr(0, bytes.size() / 2), std::string(), changed,
                                       std::string("#!/bin/sh\necho started; exit 0\n")}) {
        test::write_text(target(), content);
        fs::permissions(target(), fs::perms::owner_all);
        const auto started = run(start_agent_script(agent_, dir_.string()));
        EXPECT_EQ(started.status, kExitNeedAgent) << content.size() << " bytes: " << started.errors;
        EXPECT_TRUE(started.output.starts_with(kNeedAgentMarker)) << started.output;
        ASSERT_EQ(run(receive, bytes).status, 0);
        EXPECT_EQ(run(start_agent_script(agent_, dir_.string())).status, 0) << "replaced";
    }
}

// The attack: another user writes a program under the agent's name where the user's desk will start it.
TEST_P(AgentFolder, AFolderThatOthersCanChangeIsRefused) {
    const std::string bytes = read_file(agent_.file).value();
    const std::string start = start_agent_script(agent_, dir_.string());
    const std::string receive = receive_agent_script(agent_, dir_.string());
    ASSERT_EQ(run(receive, bytes).status, 0);
    ASSERT_EQ(run(start).status, 0);
    const auto expect_refused = [&](const fs::path& culprit) {
        for (const auto& [line, input] : {std::pair(start, std::string()), std::pair(receive, bytes)}) {
            const auto result = run(line, input);
            EXPECT_EQ(result.status, kExitUnsafeFolder) << result.errors;
            EXPECT_TRUE(result.output.starts_with(kUnsafeMarker)) << result.output;
            EXPECT_TRUE(result.output.ends_with(' ' + culprit.string() + '\n')) << result.output;
        }
    };
    using fs::perms;
    for (const auto& folder : {dir_ / "bin", dir_, folder_.path()}) {
        SCOPED_TRACE(folder);
        fs::permissions(folder, perms::all);
        expect_refused(folder);
        fs::permissions(folder, perms::owner_all | perms::others_write | perms::others_exec);
        expect_refused(folder);
        fs::permissions(folder, perms::owner_all | perms::group_read | perms::group_exec);
        EXPECT_EQ(run(start).status, 0) << "others may look";
        fs::permissions(folder, perms::owner_all);
    }
    fs::permissions(dir_, perms::all | perms::sticky_bit);
    expect_refused(dir_);
    fs::permissions(dir_, perms::owner_all);
    fs::permissions(folder_.path(), perms::all | perms::sticky_bit);
    EXPECT_EQ(run(start).status, 0) << "as /tmp: what is below is ours";
    fs::permissions(folder_.path(), perms::owner_all);
    if (::geteuid() == 0) {
        for (const auto& folder : {dir_ / "bin", dir_, folder_.path()}) {
            ASSERT_EQ(::chown(folder.c_str(), 4711, 4711), 0);
            expect_refused(folder);
            ASSERT_EQ(::chown(folder.c_str(), 0, 0), 0);
        }
    }
    EXPECT_EQ(run(start).status, 0);
}

// Another user named in the list of a folder, as `setfacl -m u:4711:rwx` does it; false: this file system has none.
bool give_to_another_user(const fs::path& folder, const char* attribute) {
    struct Entry {
        std::uint16_t tag, perms;
        std::uint32_t id;
    };
    struct {
        std::uint32_t version = 2;
        std::array<Entry, 5> entries{
            {{0x01, 7, ~0U}, {0x02, 7, 4711}, {0x04, 5, ~0U}, {0x10, 7, ~0U}, {0x20, 5, ~0U}}};
    } list;
    return ::setxattr(folder.c_str(), attribute, &list, sizeof list, 0) == 0;
}

TEST_P(AgentFolder, AFolderWithAListForOthersIsRefused) {
    const std::string bytes = read_file(agent_.file).value();
    const std::string start = start_agent_script(agent_, dir_.string());
    const std::string receive = receive_agent_script(agent_, dir_.string());
    ASSERT_EQ(run(receive, bytes).status, 0);
    ASSERT_EQ(run(start).status, 0);
    for (const auto& folder : {dir_ / "bin", dir_, folder_.path()}) {
        if (!give_to_another_user(folder, "system.posix_acl_access")) {
            GTEST_SKIP() << "no access control lists here: " << std::strerror(errno);
        }
        for (const auto& [line, input] : {std::pair(start, std::string()), std::pair(receive, bytes)}) {
            const auto result = run(line, input);
            EXPECT_EQ(result.status, kExitUnsafeFolder) << folder << result.errors;
            EXPECT_TRUE(result.output.ends_with(' ' + folder.string() + '\n')) << result.output;
        }
        fs::permissions(folder,
                        fs::perms::owner_all);  // the remedy: takes it from the others of the list as well
        EXPECT_EQ(run(start).status, 0) << folder;
        ::removexattr(folder.c_str(), "system.posix_acl_access");
    }
    // New files inherit this one.
    ASSERT_TRUE(give_to_another_user(dir_ / "bin", "system.posix_acl_default"));
    fs::remove(target());
    const auto received = run(receive, bytes);
    EXPECT_EQ(received.status, kExitUnsafeFolder) << received.errors;
    EXPECT_TRUE(fs::is_empty(dir_ / "bin")) << "nothing was written there";
}

TEST_P(AgentFolder, AGroupWithOtherMembersIsNotTheUsersAlone) {
    const std::string bytes = read_file(agent_.file).value();
    const std::string start = start_agent_script(agent_, dir_.string());
    ASSERT_EQ(run(receive_agent_script(agent_, dir_.string()), bytes).status, 0);
    fs::permissions(dir_, fs::perms::owner_all | fs::perms::group_all);
    fs::create_directories(folder_ / "tools");
    const auto group_has = [&](const std::string& members) {
        test::write_text(folder_ / "tools/getent", "#!/bin/sh\necho \"$(id -gn):x:$2:" + members + "\"\n");
        fs::permissions(folder_ / "tools/getent", fs::perms::owner_all);
    };
    const std::string own = run_program({"id", "-un"}).output;
    if (own != run_program({"id", "-gn"}).output) {
        GTEST_SKIP() << "this user has no group of its own";
    }
    const test::ScopedEnvironment path("PATH",
                                       (folder_ / "tools").string() + ':' + std::string(std::getenv("PATH")));
    group_has("");
    EXPECT_EQ(run(start).status, 0);
    group_has(own.substr(0, own.size() - 1));
    EXPECT_EQ(run(start).status, 0);
    for (const char* members : {"mallory", "root2,mallory", "mallory,alice"}) {
        group_has(members);
        const auto refused = run(start);
        EXPECT_EQ(refused.status, kExitUnsafeFolder) << members;
        EXPECT_TRUE(refused.output.ends_with(' ' + dir_.string() + '\n')) << refused.output;
    }
    fs::permissions(dir_, fs::perms::owner_all);
    EXPECT_EQ(run(start).status, 0);
}

// The race: the file is exchanged right after its checksum was computed.
TEST_P(AgentFolder, WhatWasCheckedIsWhatRuns) {
    const std::string bytes = read_file(agent_.file).value();
    ASSERT_EQ(run(receive_agent_script(agent_, dir_.string()), bytes).status, 0);
    fs::create_directories(folder_ / "tools");
    test::write_text(folder_ / "evil", "#!/bin/sh\ntouch " + (folder_ / "mark").string() + "\n");
    fs::permissions(folder_ / "evil", fs::perms::owner_all);
    for (const std::string name : {"sha256sum", "wc"}) {
        test::write_text(folder_ / "tools" / name, "#!/bin/sh\n" + test::find_on_path(name.c_str()) +
                                                       " \"$@\"\n" + "cp " + (folder_ / "evil").string() +
                                                       " '" + (folder_ / "new").string() + "' && mv -f '" +
                                                       (folder_ / "new").string() + "' \"$TARGET\"\n");
        fs::permissions(folder_ / "tools" / name, fs::perms::owner_all);
        const test::ScopedEnvironment path(
            "PATH", (folder_ / "tools").string() + ':' + std::string(std::getenv("PATH")));
        const test::ScopedEnvironment where("TARGET", target().string());
        const auto started = run(start_agent_script(agent_, dir_.string()));
        EXPECT_EQ(started.status, 0) << started.errors;
        EXPECT_EQ(started.output.substr(0, kAgentGreeting.size()), kAgentGreeting) << started.output;
        EXPECT_FALSE(fs::exists(folder_ / "mark")) << name;
        EXPECT_EQ(fs::file_size(target()), fs::file_size(folder_ / "evil")) << "it was exchanged";
        fs::remove(folder_ / "tools" / name);
        ASSERT_EQ(run(receive_agent_script(agent_, dir_.string()), bytes).status, 0);
    }
}

// Whoever can change the file after the checksum can do so before: its owner and its mode count as well.
TEST_P(AgentFolder, AFileThatOthersCanWriteIsReplaced) {
    const std::string bytes = read_file(agent_.file).value();
    const std::string start = start_agent_script(agent_, dir_.string());
    const std::string receive = receive_agent_script(agent_, dir_.string());
    ASSERT_EQ(run(receive, bytes).status, 0);
    using fs::perms;
    for (const auto more : {perms::group_write, perms::others_write}) {
        fs::permissions(target(), perms::owner_all | more);
        EXPECT_EQ(run(start).status, kExitNeedAgent);
        ASSERT_EQ(run(receive, bytes).status, 0);
        EXPECT_EQ(run(start).status, 0);
    }
    if (::geteuid() == 0) {
        ASSERT_EQ(::chown(target().c_str(), 4711, 4711), 0);
        EXPECT_EQ(run(start).status, kExitNeedAgent);
    }
}

TEST_P(AgentFolder, ASymbolicLinkIsFollowedOnce) {
    const std::string bytes = read_file(agent_.file).value();
    fs::create_directories(folder_ / "elsewhere");
    fs::permissions(folder_ / "elsewhere", fs::perms::owner_all);
    fs::create_directory_symlink(folder_ / "elsewhere", dir_);
    ASSERT_EQ(run(receive_agent_script(agent_, dir_.string()), bytes).status, 0);
    fs::permissions(folder_ / "elsewhere", fs::perms::all);
    EXPECT_EQ(run(start_agent_script(agent_, dir_.string())).status, kExitUnsafeFolder)
        << "what the link points to counts";
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

INSTANTIATE_TEST_SUITE_P(Sh, AgentFolder, ::testing::Values("sh"));
INSTANTIATE_TEST_SUITE_P(Shells, AgentScript,
                         ::testing::Values("sh", "dash", "bash", "zsh", "fish", "csh", "tcsh", "ksh"),
                         [](const auto& shell) { return std::string(shell.param); });

}  // namespace
}  // namespace rankscope
