// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <remote/desk/nodes/session/agent_failures.h>
#include <remote/desk/nodes/transport/exec_failure.h>
#include <remote/desk/nodes/transport/ssh_failures.h>

#include <gtest/gtest.h>

namespace rankscope {
namespace {

SshTarget some_target() {
    SshTarget target;
    target.node = "node1";
    target.host = "10.0.0.1";
    target.user = "trainer";
    return target;
}

TEST(ExecFailures, ARefusalNamesWhatRefuses) {
    const auto session = explain_exec(some_target(), -1, ExecStep::OpenSession, 0.1, "refused");
    EXPECT_EQ(session.code, FailureId("ssh-exec"));
    EXPECT_NE(session.remedy.find("MaxSessions"), std::string::npos) << session.remedy;
    const auto process = explain_exec(some_target(), -1, ExecStep::StartCommand, 0.1, "refused");
    EXPECT_NE(process.what.find("ulimit -u"), std::string::npos) << process.what;
    EXPECT_EQ(process.remedy.find("MaxSessions"), std::string::npos) << process.remedy;
    const auto late = explain_exec(some_target(), -1, ExecStep::StartCommand, 20, "timeout");
    EXPECT_NE(late.what.find("within 20 s"), std::string::npos) << late.what;
    EXPECT_EQ(late.what.find("ulimit"), std::string::npos) << "silence is no refusal";
}

TEST(ExecFailures, LargePacketsThatVanishAreNamedWithATest) {
    auto target = some_target();
    target.host = "x;touch /tmp/y";
    const auto failure = large_packets_vanish(target, 1500, "tun0", "");
    EXPECT_NE(failure.what.find("1500 bytes from this computer"), std::string::npos) << failure.what;
    EXPECT_NE(failure.remedy.find("ping -c 3 -M do -s 1472 'x;touch /tmp/y'"), std::string::npos)
        << failure.remedy;
    EXPECT_NE(failure.remedy.find("dev tun0 mtu 1300"), std::string::npos) << failure.remedy;
}

TEST(ExecFailures, TheWordsOfTheNodeAreShownOnOneLine) {
    const auto failure = login_denied("node1", "  maintenance\nuntil 18:00\033[2J ", "");
    EXPECT_NE(failure.what.find("maintenance until 18:00 [2J"), std::string::npos) << failure.what;
    EXPECT_EQ(failure.what.find('\033'), std::string::npos);
}

TEST(ExecFailures, AShellWithoutProcessesIsNoBrokenAgent) {
    NodeSpec node;
    node.name = "node1";
    node.user = "trainer";
    for (const char* said : {"sh: 1: Cannot fork", "bash: fork: retry: Resource temporarily unavailable"}) {
        const auto failure = explain_agent_start(node, 2, "", said);
        EXPECT_NE(failure.what.find("ulimit -u"), std::string::npos) << failure.what;
    }
    const auto closed = explain_agent_start(node, 254, "", "maintenance at 18:00");
    EXPECT_NE(closed.what.find("maintenance at 18:00"), std::string::npos) << closed.what;
}

TEST(ExecFailures, ALibraryThatCannotBeMappedIsNoMissingPackage) {
    ExitEvent exit;
    exit.code = 1;
    exit.last_lines = {"ImportError: libtorch_cpu.so: failed to map segment from shared object"};
    const auto hint = hint_for_exit("node3", exit);
    EXPECT_EQ(hint.id, FailureId("host-oom"));
    EXPECT_NE(hint.remedy.find("ulimit -v"), std::string::npos) << hint.remedy;
}

}  // namespace
}  // namespace rankscope
