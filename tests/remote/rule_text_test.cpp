// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include "support/hostile_texts.h"
#include "support/run_program.h"
#include "support/temporary_folder.h"

#include <remote/logs/rules/rule_set.h>
#include <remote/logs/verdicts/rule_text.h>

#include <gtest/gtest.h>

#include <map>
#include <string>

namespace rankscope::logs {
namespace {

using Values = std::map<std::string, std::string, std::less<>>;

ValueOf lookup(const Values& values) {
    return [&values](std::string_view name) {
        const auto known = values.find(name);
        return known == values.end() ? std::string() : known->second;
    };
}

std::string title(const std::string& text, const Values& values = {}) {
    return title_text(text, lookup(values));
}

TEST(RuleText, TitleHasTheValues) {
    EXPECT_EQ(title("{peer}:{port} cannot be reached: a firewall drops it, or nothing listens there.",
                    {{"peer", "n2"}, {"port", "29500"}}),
              "n2:29500 cannot be reached: a firewall drops it, or nothing listens there.");
    EXPECT_EQ(title("Two ranks use the same GPU ({device}).", {{"device", "1b000"}}),
              "Two ranks use the same GPU (1b000).");
    EXPECT_EQ(
        title("Rank {rank} failed on {host}: {type}: {what}",
              {{"rank", "3"}, {"host", "n1"}, {"type", "KeyError"}, {"what", "a {strange} key: 'x', y"}}),
        "Rank 3 failed on n1: KeyError: a {strange} key: 'x', y");
}

TEST(RuleText, TitleInChinese) {
    const std::string failed = "rank {rank} 在 {host} 上失败：{type}：{what}";
    EXPECT_EQ(title(failed, {{"rank", "3"}, {"host", "n1"}, {"type", "KeyError"}, {"what", "x"}}),
              "rank 3 在 n1 上失败：KeyError：x");
    EXPECT_EQ(title(failed, {{"rank", "3"}}), "rank 3 在该节点上失败。");
    EXPECT_EQ(title(failed, {{"type", "KeyError"}}), "某个 rank 在该节点上失败：KeyError。");
    EXPECT_EQ(title("{peer} 拒绝端口 {port}（{why}）。"), "另一个节点拒绝端口。");
    EXPECT_EQ(title("{peer} 拒绝端口 {port}（{why}）。", {{"why", "无路由"}}),
              "另一个节点拒绝端口（无路由）。");
    EXPECT_EQ(title("{host} 上 rank {rank} 的显存已满。"), "该节点上某个 rank 的显存已满。");
    EXPECT_EQ(title("无法连接 {peer}:{port}：被防火墙丢弃。"), "无法连接另一个节点：被防火墙丢弃。");
    EXPECT_EQ(title("无法解析名称 {peer}。"), "无法解析名称。");
    EXPECT_EQ(title("{host} 通告了地址，{peer}，其他节点无法访问。", {{"host", "n1"}}),
              "n1 通告了地址，其他节点无法访问。");
}

TEST(RuleText, TitleWithoutAValueIsStillASentence) {
    EXPECT_EQ(title("{peer}:{port} cannot be reached: a firewall drops it."),
              "Another node cannot be reached: a firewall drops it.");
    EXPECT_EQ(title("Port {port} is already in use on {host}."), "A port is already in use on the node.");
    EXPECT_EQ(title("The firewall of {peer} rejects port {port} (no route to host)."),
              "The firewall of another node rejects a port (no route to host).");
    EXPECT_EQ(title("Rank {rank} failed on {host}: {type}: {what}", {{"rank", "0"}}),
              "Rank 0 failed on the node.");
    EXPECT_EQ(title("Rank {rank} failed on {host}: {type}: {what}", {{"type", "KeyError"}}),
              "A rank failed on the node: KeyError.");
    EXPECT_EQ(title("The card {hca} has no IP address; its GID reaches no other node."),
              "The card has no IP address; its GID reaches no other node.");
    EXPECT_EQ(title("The node looks for the master on itself: MASTER_ADDR is {peer}."),
              "The node looks for the master on itself.");
    EXPECT_EQ(title("The memory of a GPU is full on {host}, rank {rank}.", {{"host", "n1"}}),
              "The memory of a GPU is full on n1.");
    EXPECT_EQ(title("{host} offers an address, {peer}, that the others cannot reach.", {{"host", "n1"}}),
              "n1 offers an address that the others cannot reach.");
    EXPECT_EQ(title("A node offers its loopback address {peer} to the others."),
              "A node offers its loopback address to the others.");
    EXPECT_EQ(title("Not all nodes came to the rendezvous ({joined} joined)."),
              "Not all nodes came to the rendezvous.");
    EXPECT_EQ(title("Another program sent {got} bytes of another protocol."),
              "Another program sent bytes of another protocol.");
}

TEST(RuleText, FixSaysWhatToPutThere) {
    const Values none;
    EXPECT_EQ(fix_text("On {peer}: ss -ltn \"sport = :{port}\"", lookup(none)),
              "On NODE: ss -ltn \"sport = :PORT\"");
    EXPECT_EQ(fix_text("pods: emptyDir {medium: Memory} on /dev/shm", lookup(none)),
              "pods: emptyDir {medium: Memory} on /dev/shm");
}

TEST(RuleText, AValueOfALogIsOneWordOfAFix) {
    const test::TemporaryFolder folder;
    const std::string mark = (folder / "mark").string();
    for (const auto& attack : test::hostile_texts(mark)) {
        const Values values{{"path", attack}, {"port", attack}};
        const std::string fix = fix_text("echo {path}; echo 'a {path}' \"b {port}\" {port}", lookup(values));
        (void)test::run_program({"sh", "-c", fix});
        EXPECT_FALSE(std::filesystem::exists(mark)) << fix;
    }
    EXPECT_EQ(fix_text("chmod 600 {key}", lookup({{"key", "/home/me/my key"}})),
              "chmod 600 '/home/me/my key'");
    EXPECT_EQ(fix_text("ss -ltn \"sport = :{port}\"", lookup({{"port", "29500"}})),
              "ss -ltn \"sport = :29500\"");
    EXPECT_EQ(fix_text("ss -ltn \"sport = :{port}\"", lookup({{"port", "1\"; x"}})),
              "ss -ltn \"sport = :PORT\"");
    EXPECT_EQ(fix_text("ping -c1 {node}", lookup({{"node", "-f"}})), "ping -c1 NODE");
}

// Whatever the log does not say: each title of the program's rules stays free of gaps.
TEST(RuleText, TitlesOfTheProgramHaveNoGaps) {
    const auto set = load_rules({RANKSCOPE_RULES});
    ASSERT_FALSE(set.rules.empty());
    for (const auto& rule : set.rules) {
        for (const std::string gap : {"?", "{", "  ", " .", " ,", "()", "::", "The another", "the another"}) {
            EXPECT_EQ(title(rule.title).find(gap), std::string::npos) << rule.id << ": " << title(rule.title);
        }
    }
}

}  // namespace
}  // namespace rankscope::logs
