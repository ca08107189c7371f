// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <remote/desk/nodes/transport/admission.h>
#include <remote/desk/nodes/transport/askpass_server.h>
#include <remote/desk/nodes/transport/openssh_errors.h>

#include <gtest/gtest.h>

#include <future>
#include <vector>

namespace rankscope::test {
namespace {

SshTarget node1() {
    SshTarget target;
    target.node = "node1";
    target.alias = "node1";
    target.host = "10.77.0.1";
    target.user = "trainer";
    target.connect_timeout_s = 3;
    return target;
}

// What OpenSSH 8.4 to 9.9 say.
TEST(OpenSshErrors, EveryFaultHasItsCode) {
    const std::vector<std::pair<std::string, std::string>> table{
        {"ssh: Could not resolve hostname nope: Name or service not known\r\n", "ssh-name-unresolvable"},
        {"ssh: connect to host 10.77.0.1 port 22: Connection refused\r\n", "ssh-refused"},
        {"ssh: connect to host 10.77.0.1 port 22: Connection timed out\r\n", "ssh-timeout"},
        {"ssh: connect to host 10.77.0.1 port 22: No route to host\r\n", "ssh-no-route"},
        {"ssh: connect to host 10.77.0.1 port 22: Network is unreachable\r\n", "ssh-no-route"},
        {"Connection timed out during banner exchange\r\nConnection to 10.77.0.1 port 22 timed out\r\n",
         "ssh-timeout"},
        {"kex_exchange_identification: Connection closed by remote host\r\n", "ssh-protocol"},
        {"kex_exchange_identification: read: Connection reset by peer\r\n", "ssh-protocol"},
        {"Unable to negotiate with 10.77.0.1 port 22: no matching host key type found. Their offer: "
         "ssh-rsa\r\n",
         "ssh-algorithms"},
        {"Received disconnect from 10.77.0.1 port 22:2: Too many authentication failures\r\n",
         "ssh-too-many-auth"},
        {"trainer@10.77.0.1: Permission denied (publickey,password).\r\n", "ssh-auth-denied"},
        {"@ WARNING: UNPROTECTED PRIVATE KEY FILE! @\r\nPermissions 0644 for '/k' are too open.\r\n"
         "trainer@10.77.0.1: Permission denied (publickey).\r\n",
         "ssh-key-permissions"},
        {"@    WARNING: REMOTE HOST IDENTIFICATION HAS CHANGED!     @\r\nThe fingerprint for the ED25519 key "
         "sent by "
         "the remote host is\nSHA256:abc.\r\nHost key for 10.77.0.1 has changed and you have requested "
         "strict "
         "checking.\r\nHost key verification failed.\r\n",
         "ssh-hostkey-changed"},
        {"@       WARNING: REVOKED HOST KEY DETECTED!               @\r\nHost key verification failed.\r\n",
         "ssh-hostkey-revoked"},
        {"Host key verification failed.\r\n", "ssh-hostkey-unknown"},
        {"/h/.ssh/config: line 3: Bad configuration option: prot\r\n", "ssh-config"},
        {"channel 0: open failed: connect failed: Connection refused\r\nstdio forwarding failed\r\n",
         "ssh-refused"},
        {"channel 0: open failed: connect failed: No route to host\r\n", "ssh-no-route"},
        {"channel 0: open failed: administratively prohibited: open failed\r\n", "ssh-jump-refused"},
        {"something new\r\n", "ssh-protocol"},
        {"", "ssh-protocol"},
    };
    for (const auto& [said, code] : table) {
        const Failure failure = explain_openssh(node1(), said);
        EXPECT_EQ(failure.code.text(), code) << said;
        EXPECT_EQ(failure.where, "node1");
        EXPECT_FALSE(failure.what.empty());
        EXPECT_FALSE(failure.remedy.empty()) << said;
    }
}

TEST(OpenSshErrors, SentencesNameHostPortKeyAndMethods) {
    auto failure = explain_openssh(node1(), "me@login: Permission denied (publickey,password).\r\n");
    EXPECT_NE(failure.what.find("me@login"), std::string::npos) << "a jump host's account: " << failure.what;
    EXPECT_NE(failure.what.find("publickey, password"), std::string::npos) << failure.what;
    failure = explain_openssh(node1(), "ssh: connect to host login port 2222: Connection refused\r\n");
    EXPECT_NE(failure.what.find("login:2222"), std::string::npos) << failure.what;
    failure = explain_openssh(
        node1(),
        "REMOTE HOST IDENTIFICATION HAS CHANGED!\r\nThe fingerprint for the ED25519 key sent by "
        "the remote host is\nSHA256:abc.\r\nHost key for [login]:2222 has changed and you have "
        "requested strict checking.\r\n");
    EXPECT_NE(failure.what.find("ED25519 SHA256:abc"), std::string::npos) << failure.what;
    EXPECT_NE(failure.remedy.find("ssh-keygen -R '[login]:2222'"), std::string::npos) << failure.remedy;
}

TEST(Askpass, QuestionsAreUnderstood) {
    auto asked = understand_askpass(
        "The authenticity of host '[login]:2222 ([10.0.0.1]:2222)' can't be established.\nED25519 key "
        "fingerprint is "
        "SHA256:abc+/x.\nThis key is not known by any other names.\nAre you sure you want to continue "
        "connecting "
        "(yes/no/[fingerprint])? ");
    EXPECT_EQ(asked.kind, AskpassQuestion::Kind::HostKey);
    EXPECT_EQ(asked.key.host, "login");
    EXPECT_EQ(asked.key.port, 2222);
    EXPECT_EQ(asked.key.key_type, "ED25519");
    EXPECT_EQ(asked.key.fingerprint, "SHA256:abc+/x");
    EXPECT_FALSE(asked.other_type_known);
    asked = understand_askpass(
        "The authenticity of host '10.0.0.1 (10.0.0.1)' can't be established\nbut keys of different type are "
        "already "
        "known for this host.\nRSA key fingerprint is SHA256:y.\nAre you sure you want to continue "
        "connecting "
        "(yes/no)? ");
    EXPECT_EQ(asked.key.host, "10.0.0.1");
    EXPECT_EQ(asked.key.port, 22);
    EXPECT_TRUE(asked.other_type_known);
    asked = understand_askpass("Enter passphrase for key '/home/me/.ssh/id_rsa': ");
    EXPECT_EQ(asked.kind, AskpassQuestion::Kind::Passphrase);
    EXPECT_EQ(asked.file, "/home/me/.ssh/id_rsa");
    asked = understand_askpass("trainer@10.0.0.1's password: ");
    EXPECT_EQ(asked.kind, AskpassQuestion::Kind::Password);
    EXPECT_EQ(asked.account, "trainer@10.0.0.1");
    asked = understand_askpass("(trainer@10.0.0.1) Password: ");
    EXPECT_EQ(asked.kind, AskpassQuestion::Kind::Password);
    EXPECT_EQ(asked.account, "trainer@10.0.0.1");
    EXPECT_EQ(understand_askpass("(trainer@10.0.0.1) Verification code: ").kind,
              AskpassQuestion::Kind::Other);
    for (const char* odd : {"", "'", "The authenticity of host '", "Enter passphrase for ", "(yes/no"}) {
        (void)understand_askpass(odd);
    }
}

TEST(Admission, EightToAHostAndThirtyTwoInAll) {
    std::vector<Admission> held;
    for (int i = 0; i < 8; ++i) {
        held.push_back(*Admission::enter("login", {}));
    }
    auto ninth = std::async(std::launch::async, [] { return Admission::enter("login", {}); });
    EXPECT_NE(ninth.wait_for(std::chrono::seconds(0)), std::future_status::ready) << "the ninth waits";
    held[3].release();
    auto admitted = ninth.get();
    ASSERT_TRUE(admitted);
    held[3] = std::move(*admitted);
    std::stop_source stop;
    auto tenth = std::async(std::launch::async, [&] { return Admission::enter("login", stop.get_token()); });
    stop.request_stop();
    EXPECT_FALSE(tenth.get());
    for (int host = 0; held.size() < 32; ++host) {
        held.push_back(*Admission::enter("node" + std::to_string(host), {}));
    }
    std::stop_source again;
    again.request_stop();
    EXPECT_FALSE(Admission::enter("another", again.get_token()));
    held.clear();
    EXPECT_TRUE(Admission::enter("another", {}));
}

}  // namespace
}  // namespace rankscope::test
