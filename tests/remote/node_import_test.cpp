// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <remote/desk/nodes/inventory/node_import.h>

#include <gtest/gtest.h>
#include <support/scoped_environment.h>
#include <support/temporary_folder.h>

#include <random>

namespace rankscope::test {
namespace {

NodeImport read(const std::string& text, const Inventory& inventory = {}) {
    return import_nodes(text, "list", ImportFormat::Auto, inventory);
}

std::string shown(const NodeImport& import) {
    std::string all;
    for (const auto& node : import.nodes) {
        all += node.where.substr(5) + ' ' + node.node.name + ' ' + node.node.user + '@' + node.node.host +
               ':' + std::to_string(node.node.port) + (node.taken ? "" : " no") + '\n';
    }
    for (const auto& problem : import.problems) {
        all += "? " + problem.where + '\n';
    }
    return all;
}

TEST(NodeImport, AliasesOfSshConfigWithoutPatterns) {
    const auto import = read(
        "# mine\nHost login gpu1 gpu-*\n  HostName 10.0.0.1\n  User me\nhost=gpu2\nMatch user root\n  Port "
        "3\nHost * "
        "!gpu1\nHost \"gpu3\" # the last\nHOST gpu1\n");
    EXPECT_EQ(import.format, ImportFormat::SshConfig);
    EXPECT_EQ(
        shown(import),
        "2 gpu-* @gpu-*:0 no\n2 login @login:0\n2 gpu1 @gpu1:0 no\n5 gpu2 @gpu2:0\n8 * @*:0 no\n8 !gpu1 "
        "@!gpu1:0 no\n"
        "9 gpu3 @gpu3:0\n10 gpu1 @gpu1:0 no\n");
}

TEST(NodeImport, IncludesOfSshConfigAreFollowedOnce) {
    const TemporaryFolder home;
    const ScopedEnvironment variable("HOME", home.path().string());
    std::filesystem::create_directories(home / ".ssh" / "config.d");
    write_text(home / ".ssh" / "config.d" / "a", "Host a\nInclude config.d/*\n");
    write_text(home / ".ssh" / "config.d" / "b", "Host b\nInclude ~/.ssh/config.d/a nothing*\n");
    const auto import = read("Include config.d/*\nHost c\n");
    std::vector<std::string> names;
    for (const auto& node : import.taken()) {
        names.push_back(node.name);
    }
    EXPECT_EQ(names, (std::vector<std::string>{"a", "b", "c"}));
    EXPECT_TRUE(import.problems.empty());
}

TEST(NodeImport, EveryFormOfAHostsFile) {
    const auto import = read(
        "# a comment\n127.0.0.1 localhost\n::1 ip6-localhost ip6-loopback\nff02::1 ip6-allnodes\n10.0.0.11 "
        "gpu1 "
        "gpu1.example.org # first\ngpu2 10.0.0.12\n10.0.0.13\ntrainer@gpu4:2222\n  "
        "gpu5\t\r\nssh://me@[fd00::6]:22\n"
        "fd00::7\nssh -p 2200 -l you gpu8\nssh -J login gpu9\n\n");
    EXPECT_EQ(import.format, ImportFormat::HostList);
    EXPECT_EQ(
        shown(import),
        "2 localhost @localhost:0 no\n3 ip6-localhost @ip6-localhost:0 no\n4 ip6-allnodes @ip6-allnodes:0 "
        "no\n"
        "5 gpu1 @10.0.0.11:0\n6 gpu2 @10.0.0.12:0\n7 10.0.0.13 @10.0.0.13:0\n8 gpu4 trainer@gpu4:2222\n"
        "9 gpu5 @gpu5:0\n10 fd00--6 me@fd00::6:22\n11 fd00--7 @fd00::7:0\n12 gpu8 you@gpu8:2200\n13 gpu9 "
        "@gpu9:0\n");
    EXPECT_EQ(import.nodes.back().node.proxy_jump, "login");
}

TEST(NodeImport, APastedLineAndRanges) {
    EXPECT_EQ(shown(read("gpu1, me@gpu2:23; gpu3")), "1 gpu1 @gpu1:0\n1 gpu2 me@gpu2:23\n1 gpu3 @gpu3:0\n");
    EXPECT_EQ(shown(read("node[08-10,3],x")),
              "1 node08 @node08:0\n1 node09 @node09:0\n1 node10 @node10:0\n1 node3 @node3:0\n1 x @x:0\n");
    EXPECT_TRUE(expand_host_range("a[1-100000000]").empty());
    EXPECT_TRUE(expand_host_range("a[2-1]").empty());
    EXPECT_TRUE(expand_host_range("a[1").empty());
    EXPECT_TRUE(expand_host_range("a[]").empty());
    EXPECT_EQ(expand_host_range("a[1]b"), (std::vector<std::string>{"a1b"}));
}

TEST(NodeImport, SlotsOfADeepSpeedHostfile) {
    const auto import = read(
        "worker-1 slots=4\n# none\nworker-2 slots=2 # two\nworker-3\nworker-4 slots=x\nworker-1 slots=1\n");
    EXPECT_EQ(import.format, ImportFormat::DeepSpeed);
    EXPECT_EQ(shown(import),
              "1 worker-1 @worker-1:0\n3 worker-2 @worker-2:0\n4 worker-3 @worker-3:0\n6 worker-1 "
              "@worker-1:0 no\n? "
              "list:5\n");
    EXPECT_EQ(import.nodes[0].node.cpu_slots, 4);
}

TEST(NodeImport, NamesWithOneAddressAreOneMachine) {
    EXPECT_EQ(shown(read("Host 10.0.0.4 gate\n  HostName 198.51.100.9\nHost a b\n  User me\nHost c d\n  "
                         "HostName %h.lab\n")),
              "1 10.0.0.4 @10.0.0.4:0 no\n1 gate @gate:0\n3 a @a:0\n3 b @b:0\n5 c @c:0\n5 d @d:0\n")
        << "without a HostName of their own they only share settings";
}

TEST(NodeImport, HostListsOfOtherLaunchers) {
    const auto mpich = read("c1:4\nc2:22\nme@c3:23\n");
    EXPECT_EQ(shown(mpich), "1 c1 @c1:0\n2 c2 @c2:22\n3 c3 me@c3:23\n");
    EXPECT_EQ(mpich.nodes[0].node.cpu_slots, 4);
    const auto open_mpi = read("a slots=2 max_slots=8\nb max-slots=4\nc[1-2] slot=3\n");
    EXPECT_EQ(shown(open_mpi), "1 a @a:0\n2 b @b:0\n3 c1 @c1:0\n3 c2 @c2:0\n");
    EXPECT_EQ(open_mpi.nodes[0].node.cpu_slots, 2);
    EXPECT_EQ(open_mpi.nodes[1].node.cpu_slots, 4);
    EXPECT_EQ(open_mpi.nodes[3].node.cpu_slots, 3);
    const auto ansible = read(
        "[gpu]\nn1 ansible_host=10.0.0.1 ansible_user=me ansible_port=2222 "
        "role=x\nn[2-3]\n[gpu:vars]\nansible_user=you\n");
    EXPECT_EQ(shown(ansible), "2 n1 me@10.0.0.1:2222\n3 n2 @n2:0\n3 n3 @n3:0\n");
    EXPECT_EQ(ansible.nodes[2].node.group, "gpu");
}

TEST(NodeImport, BadLinesAreNamedAndNothingIsLost) {
    Inventory inventory;
    inventory.nodes.emplace_back().name = "old";
    const auto import =
        read("old\ngpu1\n@gpu\ngpu:port\ngpu 10.0.0.1 extra\ngpu1\n-x\nlocal\na b@c:1\nx[1-\n", inventory);
    EXPECT_EQ(shown(import),
              "1 old @old:0 no\n2 gpu1 @gpu1:0\n6 gpu1 @gpu1:0 no\n9 a b@c:1\n? list:3\n? list:4\n? "
              "list:5\n? list:7\n"
              "? list:8\n? list:10\n");
    for (const auto& problem : import.problems) {
        EXPECT_FALSE(problem.what.empty());
        EXPECT_FALSE(problem.remedy.empty()) << problem.what;
    }
}

TEST(NodeImport, ForeignBytesNeverBreakIt) {
    std::mt19937 random(7);
    const std::string alphabet("Host \n\t=@:[]-,#*!slots=1\0\xff\"'0.", 31);
    for (int round = 0; round < 20000; ++round) {
        std::string text;
        for (std::size_t i = random() % 60; i > 0; --i) {
            text += alphabet[random() % alphabet.size()];
        }
        for (const auto format : {ImportFormat::Auto, ImportFormat::SshConfig, ImportFormat::DeepSpeed}) {
            for (const auto& node : import_nodes(text, "x", format, {}).taken()) {
                EXPECT_TRUE(check_node(node).empty()) << text;
            }
        }
    }
}

}  // namespace
}  // namespace rankscope::test
