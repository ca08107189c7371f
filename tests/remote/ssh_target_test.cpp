// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <remote/desk/nodes/inventory/inventory.h>
#include <remote/desk/nodes/transport/agent_keys.h>
#include <remote/desk/nodes/transport/known_hosts_markers.h>
#include <remote/desk/nodes/transport/ssh_failures.h>
#include <remote/desk/nodes/transport/ssh_target.h>
#include <remote/desk/nodes/transport/transport.h>

#include <gtest/gtest.h>
#include <support/hostile_texts.h>
#include <support/run_program.h>
#include <support/scoped_environment.h>
#include <support/temporary_folder.h>
#include <sys/stat.h>

#include <fstream>
#include <thread>

namespace rankscope::test {
namespace {

NodeSpec gpu1() {
    NodeSpec node;
    node.name = "gpu1";
    node.host = "gpu1";
    return node;
}

// ssh's home is the password file's, ours is $HOME: with another one the files are passed to ssh.
class SshTargetOfFiles : public ::testing::Test {
protected:
    void write(const std::string& name, const std::string& content, mode_t mode = 0600) {
        const auto file = home_.path() / ".ssh" / name;
        std::filesystem::create_directories(file.parent_path());
        std::ofstream(file) << content;
        ::chmod(file.c_str(), mode);
    }
    std::string path(const std::string& name) { return (home_.path() / ".ssh" / name).string(); }

    TemporaryFolder home_;
    ScopedEnvironment home_variable_{"HOME", home_.path().string()};
    ScopedEnvironment no_agent_{"SSH_AUTH_SOCK", ""};
};

TEST_F(SshTargetOfFiles, SaysWhatSshItselfWouldDo) {
    write("id_gpu", "x");
    write("config",
          "Host gpu*\n  HostName 10.0.0.11\n  User trainer\n  Port 2222\n  IdentityFile ~/.ssh/id_gpu\n"
          "  ProxyJump me@login,inner:2200\nHost *\n  ConnectTimeout 7\n");
    const auto target = resolve_ssh_target(gpu1());
    ASSERT_TRUE(target) << to_line(target.failure());
    EXPECT_EQ(target->host, "10.0.0.11");
    EXPECT_EQ(target->user, "trainer");
    EXPECT_EQ(target->port, 2222);
    EXPECT_EQ(target->proxy_jump, "me@login,inner:2200");
    EXPECT_DOUBLE_EQ(target->connect_timeout_s, 7);
    EXPECT_TRUE(target->identities_named);
    EXPECT_EQ(describe_target(*target),
              "trainer@10.0.0.11:2222 through me@login, inner:2200 with ~/.ssh/id_gpu");
    EXPECT_EQ(known_hosts_name(*target), "[10.0.0.11]:2222");
}

TEST_F(SshTargetOfFiles, TheInventoryComesFirst) {
    write("id_gpu", "x");
    write("id_mine", "x");
    write("config",
          "Host gpu1\n  User trainer\n  Port 2222\n  IdentityFile ~/.ssh/id_gpu\n  ProxyJump login\n");
    NodeSpec node = gpu1();
    node.user = "root";
    node.port = 22;
    node.identity_file = "~/.ssh/id_mine";
    node.proxy_jump = "door";
    const auto target = resolve_ssh_target(node);
    ASSERT_TRUE(target) << to_line(target.failure());
    EXPECT_EQ(describe_target(*target), "root@gpu1:22 through door with ~/.ssh/id_mine");
    EXPECT_EQ(target->identity_files.size(), 2U);
}

TEST_F(SshTargetOfFiles, AFaultyLineIsNamed) {
    write("config", "Host gpu1\n  User trainer\n  Prot 22\n");
    const auto target = resolve_ssh_target(gpu1());
    ASSERT_FALSE(target);
    EXPECT_EQ(target.failure().code, FailureId("ssh-config"));
    EXPECT_NE(target.failure().what.find("line 3"), std::string::npos) << target.failure().what;
    EXPECT_NE(target.failure().what.find("prot"), std::string::npos) << target.failure().what;
    EXPECT_NE(target.failure().what.find(path("config")), std::string::npos) << target.failure().what;
}

TEST_F(SshTargetOfFiles, AMissingKeyOfTheInventoryIsAFault) {
    NodeSpec node = gpu1();
    node.identity_file = "~/.ssh/nothing";
    const auto target = resolve_ssh_target(node);
    ASSERT_FALSE(target);
    EXPECT_EQ(target.failure().code, FailureId("ssh-no-identity"));
}

// An inventory of somebody else, with a ProxyCommand of the user's that pastes host and user.
TEST_F(SshTargetOfFiles, ValuesOfTheInventoryRunNothing) {
    write("config", "Host *\n  ProxyCommand echo %h %r %n\n");
    const std::string mark = path("mark");
    std::size_t asked = 0;
    auto attacks = hostile_texts(mark);
    for (const char* form :
         {"$(touch${IFS}%)", "`touch${IFS}%`", "x;touch${IFS}%", "x|touch${IFS}%", "x&touch${IFS}%"}) {
        std::string text = form;
        attacks.push_back(text.replace(text.find('%'), 1, mark));
    }
    for (const auto& attack : attacks) {
        for (std::string NodeSpec::*field : {&NodeSpec::host, &NodeSpec::user, &NodeSpec::proxy_jump,
                                             &NodeSpec::identity_file, &NodeSpec::name}) {
            NodeSpec node = gpu1();
            node.*field = attack;
            if (check_node(node).empty()) {
                ++asked;
                static_cast<void>(resolve_ssh_target(node));
                node.transport = "openssh";
                static_cast<void>(open_transport(node, Prompter{}, {}, {}));
            }
            EXPECT_FALSE(std::filesystem::exists(mark)) << attack;
        }
    }
    EXPECT_GT(asked, 0U);
}

TEST_F(SshTargetOfFiles, WithoutASshBinaryLibsshReadsTheFiles) {
    write("config", "Host gpu1\n  HostName 10.0.0.11\n  User trainer\n  Port 2222\n");
    const ScopedEnvironment no_programs("PATH", "/nowhere");
    const auto target = resolve_ssh_target(gpu1());
    ASSERT_TRUE(target) << to_line(target.failure());
    EXPECT_EQ(target->account(), "trainer@10.0.0.11");
    EXPECT_EQ(target->port, 2222);
    EXPECT_TRUE(target->options.empty());
}

TEST_F(SshTargetOfFiles, KeysWithAPassphraseAreRecognised) {
    write("config", "");
    for (const char* type : {"ed25519", "rsa", "ecdsa"}) {
        for (const char* format : {"RFC4716", "PEM", "PKCS8"}) {
            for (const char* passphrase : {"", "secret words"}) {
                const std::string file =
                    path(std::string(type) + format + (passphrase[0] != '\0' ? "1" : "0"));
                const auto made = run_program({"/usr/bin/ssh-keygen", "-q", "-t", type, "-b",
                                               std::string(type) == "rsa" ? "2048" : "256", "-m", format,
                                               "-N", passphrase, "-f", file});
                ASSERT_EQ(made.status, 0) << made.output;
                EXPECT_EQ(key_needs_passphrase(file), passphrase[0] != '\0') << file;
            }
        }
    }
    EXPECT_FALSE(key_needs_passphrase(path("config")));
    EXPECT_FALSE(key_needs_passphrase(path("nothing")));
    EXPECT_EQ(public_key_type(path("ed25519RFC47160")), "ssh-ed25519");
}

TEST(SshTarget, TokensOfPathsAreReplaced) {
    SshTarget target;
    target.alias = "gpu1";
    target.host = "10.0.0.11";
    target.port = 2222;
    target.user = "trainer";
    EXPECT_EQ(expand_ssh_path(target, "/k/%n-%h-%p-%r-%%"), "/k/gpu1-10.0.0.11-2222-trainer-%");
    EXPECT_EQ(expand_ssh_path(target, "/k/%"), "/k/%");
}

// Every node of a cluster is connected to on a thread of its own: what they ask the system must allow that.
TEST_F(SshTargetOfFiles, OfManyNodesAtTheSameTime) {
    const auto argument = ssh_config_argument();
    const auto user = expand_ssh_path(SshTarget{}, "%u");
    EXPECT_FALSE(user.empty());
    std::vector<std::jthread> threads;
    for (int i = 0; i < 4; ++i) {
        threads.emplace_back([&] {
            for (int turn = 0; turn < 100; ++turn) {
                EXPECT_EQ(ssh_config_argument(), argument);
                EXPECT_EQ(expand_ssh_path(SshTarget{}, "%u"), user);
            }
        });
    }
}

TEST(AgentKeys, AnswersAreReadAndDamagedOnesEndEarly) {
    const auto string = [](const std::string& text) {
        return std::string({'\0', '\0', '\0', static_cast<char>(text.size())}) + text;
    };
    const std::string blob = string("ssh-ed25519") + string("key");
    const std::string answer = std::string("\x0c\0\0\0\2", 5) + string(blob) + string("me@desk") +
                               string(string("sk-ssh-ed25519@openssh.com")) + string("token");
    const auto keys = parse_agent_keys(answer);
    ASSERT_EQ(keys.size(), 2U);
    EXPECT_EQ(keys[0].type, "ssh-ed25519");
    EXPECT_EQ(keys[0].comment, "me@desk");
    EXPECT_EQ(keys[1].type, "sk-ssh-ed25519@openssh.com");
    for (std::size_t cut = 0; cut < answer.size(); ++cut) {
        EXPECT_LE(parse_agent_keys(answer.substr(0, cut)).size(), 1U);
    }
    EXPECT_TRUE(parse_agent_keys("\x05").empty());
    EXPECT_TRUE(parse_agent_keys(std::string("\x0c\xff\xff\xff\xff\xff\xff\xff\xff", 9)).empty());
}

TEST(KnownHostsMarkers, PatternsFitAsSshdDescribesThem) {
    EXPECT_TRUE(hosts_match("*", "10.0.0.11"));
    EXPECT_TRUE(hosts_match("gpu?.example.org,10.0.0.*", "10.0.0.11"));
    EXPECT_TRUE(hosts_match("GPU1", "gpu1"));
    EXPECT_TRUE(hosts_match("*.org", "a.b.org"));
    EXPECT_TRUE(hosts_match("a*b*c", "a-b-b-c"));
    EXPECT_FALSE(hosts_match("a*b*c", "a-b-b-d"));
    EXPECT_FALSE(hosts_match("*,!gpu1", "gpu1"));
    EXPECT_FALSE(hosts_match("gpu1", "gpu11"));
    EXPECT_FALSE(hosts_match("gpu1", "[gpu1]:2222"));
    EXPECT_TRUE(hosts_match("[gpu1]:2222", "[gpu1]:2222"));
    EXPECT_TRUE(hosts_match("|1|salt|hash", "gpu1"));
    EXPECT_FALSE(hosts_match("", "gpu1"));
}

TEST(KnownHostsMarkers, OnlyMarkedLinesAreRead) {
    const auto keys = parse_marked_keys(
        "# comment\n10.0.0.1 ssh-ed25519 AAA\n@revoked * ssh-ed25519 BBB why\n\n  @cert-authority *.org "
        "ssh-rsa CCC\n"
        "@revoked incomplete\n@revoked");
    ASSERT_EQ(keys.size(), 2U);
    EXPECT_EQ(keys[0].marker, "@revoked");
    EXPECT_EQ(keys[0].base64, "BBB");
    EXPECT_EQ(keys[0].line, 3);
    EXPECT_EQ(keys[1].marker, "@cert-authority");
    EXPECT_EQ(keys[1].hosts, "*.org");
    EXPECT_EQ(keys[1].line, 5);
}

}  // namespace
}  // namespace rankscope::test
