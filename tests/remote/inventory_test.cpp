// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include "support/problems.h"
#include "support/scoped_environment.h"
#include "support/temporary_folder.h"

#include <base/files.h>
#include <remote/desk/nodes/inventory/found_nodes.h>
#include <remote/desk/nodes/inventory/inventory.h>

#include <gtest/gtest.h>

#include <random>

namespace rankscope {
namespace {

using test::ExpectedProblem;

InventoryRead parse(const std::string& yaml) {
    return parse_inventory(yaml, "c.yaml");
}

Inventory good(const std::string& yaml) {
    auto read = parse(yaml);
    EXPECT_TRUE(read.problems.empty()) << yaml << test::all_of(read.problems);
    return read.inventory;
}

TEST(Inventory, ReadsTheExampleOfTheContract) {
    const auto inventory = good(R"(nodes:
  - name: node1            # required, unique
    host: 10.0.0.11
    port: 22
    user: trainer
    identity_file: ~/.ssh/id_ed25519
    proxy_jump: login      # optional
    gpus: auto             # or a list of indices
    cpu_slots: 4
    address: 10.0.0.12
  - name: node2
    gpus: [2, 0]
  - {name: node3, gpus: []}
)");
    ASSERT_EQ(inventory.nodes.size(), 3U);
    NodeSpec first;
    first.name = "node1";
    first.host = "10.0.0.11";
    first.port = 22;
    first.user = "trainer";
    first.identity_file = "~/.ssh/id_ed25519";
    first.proxy_jump = "login";
    first.cpu_slots = 4;
    first.address = "10.0.0.12";
    EXPECT_EQ(inventory.nodes[0], first);
    EXPECT_EQ(inventory.nodes[1].host, "node2") << "default: the name";
    EXPECT_EQ(inventory.nodes[1].gpus, (std::vector<int>{2, 0}));
    EXPECT_FALSE(inventory.nodes[2].gpus_auto);
    EXPECT_TRUE(inventory.nodes[2].gpus.empty());
    EXPECT_EQ(inventory.find("node2"), &inventory.nodes[1]);
    EXPECT_EQ(inventory.find("node4"), nullptr);
}

TEST(Inventory, EmptyFilesAreEmptyInventories) {
    for (const char* yaml : {"", "\n\n", "# nothing yet\n", "---\n", "nodes:\n", "nodes: []\n", "{}",
                             "\xef\xbb\xbfnodes: []\n"}) {
        EXPECT_TRUE(good(yaml).nodes.empty()) << yaml;
    }
}

TEST(Inventory, LineEndsOfOtherSystemsAreFine) {
    const auto inventory = good("nodes:\r\n  - name: a\r\n    port: 2222\r\n  - name: b\r\n");
    ASSERT_EQ(inventory.nodes.size(), 2U);
    EXPECT_EQ(inventory.nodes[0].port, 2222);
    test::expect_problem(parse("nodes:\r\n  - name: a\r\n    prot: 2222\r\n").problems,
                         {"CRLF", "", "c.yaml:3", "nodes[0].prot: unknown key", "port"});
}

TEST(Inventory, AnchorsAndAliasesAreRead) {
    const auto inventory = good("nodes:\n  - {name: a, user: &u trainer}\n  - {name: b, user: *u}\n");
    EXPECT_EQ(inventory.nodes.at(1).user, "trainer");
}

std::string node(const std::string& lines) {
    return "nodes:\n  - name: node1\n" + lines;
}

TEST(Inventory, EveryFaultNamesFileLineKeyAndRemedy) {
    const std::vector<ExpectedProblem> table{
        {"unknown top key", "node: []\n", "c.yaml:1", "node: unknown key", "Did you mean \"nodes\"?"},
        {"list at the top", "- name: a\n", "c.yaml:1", "the file must hold a mapping",
         "Begin it with nodes:"},
        {"text at the top", "hello\n", "c.yaml:1", "the file must hold a mapping", "nodes:"},
        {"nodes is a mapping", "nodes: {a: 1}\n", "c.yaml:1", "nodes: must be a list", "- name:"},
        {"nodes is a text", "\nnodes: a\n", "c.yaml:2", "nodes: must be a list", "- name:"},
        {"node is a text", "nodes:\n  - node1\n", "c.yaml:2", "nodes[0]: a node is a mapping",
         "- name: node1"},
        {"node is a list", "nodes:\n  - []\n", "c.yaml:2", "nodes[0]: a node is a mapping", ""},
        {"no name", "nodes:\n  - name: a\n  - host: b\n", "c.yaml:3", "nodes[1].name: missing",
         "name: node1"},
        {"name is null", "nodes:\n  - name:\n    host: b\n", "c.yaml:2", "nodes[0].name: missing",
         "name: node1"},
        {"name is a list", "nodes:\n  - host: b\n    name: [x]\n", "c.yaml:3",
         "nodes[0].name: a list is not a text", "one value"},
        {"name with blank", "nodes:\n  - host: b\n    name: a b\n", "c.yaml:3",
         "nodes[0].name: a node needs a name", "node1"},
        {"name empty", "nodes:\n  - host: b\n    name: ''\n", "c.yaml:3",
         "nodes[0].name: a node needs a name", "node1"},
        {"name local", "nodes:\n  - name: local\n", "c.yaml:2", "always means this computer",
         "Choose another"},
        {"name all", "nodes:\n  - name: all\n", "c.yaml:2", "every node", "Choose another"},
        {"twice", "nodes:\n  - name: a\n  - name: b\n  - name: a\n", "c.yaml:4", "\"a\" is there twice",
         "must differ"},
        {"misspelt key", node("    usr: x\n"), "c.yaml:3", "nodes[0].usr: unknown key",
         "Did you mean \"user\"?"},
        {"swapped letters", node("    hsot: x\n"), "c.yaml:3", "hsot: unknown key", "Did you mean \"host\"?"},
        {"foreign key", node("    colour: x\n"), "c.yaml:3", "colour: unknown key",
         "Known keys are: address, cache_dir, cpu_slots"},
        {"key twice", node("    user: a\n    port: 1\n    user: b\n"), "c.yaml:5",
         "nodes[0].user: given twice", "Keep one"},
        {"port is a word", node("    port: ssh\n"), "c.yaml:3", "nodes[0].port: \"ssh\" is not a number",
         "from 1 to 65535"},
        {"port too large", node("    port: 65536\n"), "c.yaml:3", "\"65536\" is out of range",
         "from 1 to 65535"},
        {"port zero", node("    port: 0\n"), "c.yaml:3", "\"0\" is out of range", "from 1 to 65535"},
        {"port negative", node("    port: -22\n"), "c.yaml:3", "\"-22\" is out of range", "from 1 to 65535"},
        {"port broken", node("    port: 22.5\n"), "c.yaml:3", "\"22.5\" is not a whole number",
         "from 1 to 65535"},
        {"port nan", node("    port: nan\n"), "c.yaml:3", "\"nan\" is not a number", "from 1 to 65535"},
        {"port inf", node("    port: 1e999\n"), "c.yaml:3", "\"1e999\" is not a number", "from 1 to 65535"},
        {"port list", node("    port: [22]\n"), "c.yaml:3", "a list is not a number", "from 1 to 65535"},
        {"port empty text", node("    port: ''\n"), "c.yaml:3", "\"\" is not a number", "from 1 to 65535"},
        {"port comma", node("    port: '22,5'\n"), "c.yaml:3", "is not a number", "from 1 to 65535"},
        {"port with rest", node("    port: 22 tcp\n"), "c.yaml:3", "\"22 tcp\" is not a number",
         "from 1 to 65535"},
        {"slots", node("    cpu_slots: 0\n"), "c.yaml:3", "cpu_slots: \"0\" is out of range",
         "from 1 to 1024"},
        {"host with blank", node("    host: a b\n"), "c.yaml:3", "nodes[0].host: \"a b\" is not a host name",
         "10.0.0.11"},
        {"host like an option", node("    host: -oProxyCommand=x\n"), "c.yaml:3", "is not a host name",
         "ssh_config"},
        {"user like an option", node("    user: -x\n"), "c.yaml:3", "\"-x\" is not a user name", "trainer"},
        {"host is a mapping", node("    host: {a: b}\n"), "c.yaml:3", "a mapping is not a text", "one value"},
        {"gpus word", node("    gpus: two\n"), "c.yaml:3", "nodes[0].gpus: neither", "gpus: auto"},
        {"gpus number", node("    gpus: 2\n"), "c.yaml:3", "nodes[0].gpus: neither", "gpus: [0, 1]"},
        {"gpus twice", node("    gpus: [0, 0]\n"), "c.yaml:3", "different indices", "gpus: [0, 1]"},
        {"gpus negative", node("    gpus: [-1]\n"), "c.yaml:3", "different indices", "gpus: [0, 1]"},
        {"gpus wraps", node("    gpus: [4294967296]\n"), "c.yaml:3", "different indices", "gpus: [0, 1]"},
        {"gpus words", node("    gpus: [a]\n"), "c.yaml:3", "different indices", "gpus: [0, 1]"},
        {"gpus mapping", node("    gpus: {a: 1}\n"), "c.yaml:3", "different indices", "gpus: [0, 1]"},
        {"relative cache", node("    cache_dir: scratch\n"), "c.yaml:3", "is not an absolute folder", "~/"},
        {"cache with bang", node("    cache_dir: /a!b\n"), "c.yaml:3", "cache_dir: holds a '!'",
         "another folder"},
        {"cache with break", node("    cache_dir: \"/a\\nb\"\n"), "c.yaml:3", "control character",
         "another folder"},
        {"group with break", node("    group: \"a\\nb\"\n"), "c.yaml:3", "nodes[0].group: is not a name",
         "up to 64 letters"},
        {"group with blank edge", node("    group: 'rack '\n"), "c.yaml:3", "nodes[0].group: is not a name",
         "rack 2"},
        {"group too long", node("    group: " + std::string(65, 'x') + "\n"), "c.yaml:3",
         "nodes[0].group: is not a name", "rack 2"},
        {"group is a list", node("    group: [a, b]\n"), "c.yaml:3", "a list is not a text", "one value"},
        {"zero byte", node("    user: \"a\\0b\"\n    host: \"x\"\n    port: 1\n").replace(0, 0, ""),
         "c.yaml:3", "zero byte", ""},
    };
    for (const auto& row : table) {
        SCOPED_TRACE(row.title);
        auto problems = parse(row.yaml).problems;
        if (std::string(row.title) == "zero byte") {
            problems.resize(1);  // it is not a user name either
        }
        test::expect_problem(problems, row);
    }
}

TEST(Inventory, SyntaxErrorsNameTheirLine) {
    const std::vector<ExpectedProblem> table{
        {"tab", "nodes:\n\t- name: a\n", "c.yaml:2", "not valid YAML", "indentation"},
        {"open bracket", "nodes: [a\n", "c.yaml:2", "not valid YAML", "brackets"},
        {"indentation", "nodes:\n  - name: a\n   user: b\n", "c.yaml:3", "not valid YAML", "indentation"},
        {"unknown alias", "nodes: *x\n", "c.yaml:1", "not valid YAML", ""},
        {"not UTF-8", "nodes:\n  - name: a\n    user: \xff\n", "c.yaml:3", "not UTF-8 text",
         "Save the file as UTF-8"},
        {"cut UTF-8", "# \xe5\xb1", "c.yaml:1", "not UTF-8 text", "UTF-8"},
        {"overlong UTF-8", "\n# \xc0\xaf", "c.yaml:2", "not UTF-8 text", "UTF-8"},
        {"surrogate", "# \xed\xa0\x80", "c.yaml:1", "not UTF-8 text", "UTF-8"},
    };
    for (const auto& row : table) {
        SCOPED_TRACE(row.title);
        test::expect_problem(parse(row.yaml).problems, row);
    }
}

TEST(Inventory, HostileNestingEndsInAMessage) {
    std::string dashes = "nodes:\n  ";
    for (int i = 0; i < 20000; ++i) {
        dashes += "- ";
    }
    const std::string brackets = "nodes: " + std::string(100000, '[');
    std::string bomb = "a0: &a0 [x, x]\n";
    for (int i = 1; i < 40; ++i) {
        const std::string before = std::to_string(i - 1);
        bomb +=
            "a" + std::to_string(i) + ": &a" + std::to_string(i) + " [*a" + before + ", *a" + before + "]\n";
    }
    for (const std::string& yaml : {dashes, brackets, bomb, std::string("nodes: &a [*a]\n"),
                                    std::string("&a {nodes: *a}\n"), std::string("? &a [*a]\n: 1\n")}) {
        EXPECT_FALSE(parse(yaml).problems.empty()) << yaml.substr(0, 50);
    }
}

TEST(Inventory, AllFaultsAreNamedAtOnce) {
    const auto read = parse("nodes:\n  - name: a\n    port: x\n    usr: y\n  - host: b\n");
    EXPECT_EQ(read.problems.size(), 3U) << test::all_of(read.problems);
}

std::vector<NodeSpec> odd_nodes() {
    std::vector<NodeSpec> nodes;
    for (const char* name :
         {"node1", "123",  "true", "null", "~",  "1e3", "a-dash", "@at",         "#hash", "a:b",
          "é层",   "0x10", "yes",  "*a",   "&a", "!t",  "%p",     "{a}",         "[a]",   "a,b",
          "a#b",   "?",    "|",    ">",    "=",  "<<",  "...",    "back\\slash", "`x`"}) {
        NodeSpec node;
        node.name = name;
        node.host = name;
        node.user = nodes.size() % 2 == 0 ? "" : "user.name";
        node.identity_file = nodes.size() % 3 == 0 ? "~/.ssh/with blank: and # \"quotes\" 'x'\t\\" : "";
        node.port = nodes.size() % 4 == 0 ? 2200 : 0;
        node.gpus_auto = nodes.size() % 5 != 0;
        node.gpus = node.gpus_auto ? std::vector<int>{} : std::vector<int>{3, 1};
        node.cpu_slots = static_cast<int>(nodes.size()) % 3;
        node.proxy_jump = nodes.size() % 7 == 0 ? "me@jump:22" : "";
        node.address = nodes.size() % 6 == 0 ? "fe80::1%eth0" : "";
        node.cache_dir = nodes.size() % 8 == 0 ? "/scratch/x y" : "";
        node.group = nodes.size() == 6 ? "机架 2" : name;
        nodes.push_back(std::move(node));
    }
    return nodes;
}

TEST(Inventory, RoundTripOfOddNodes) {
    Inventory inventory;
    inventory.nodes = odd_nodes();
    const std::string yaml = to_yaml(inventory);
    const auto back = good(yaml);
    ASSERT_EQ(back.nodes.size(), inventory.nodes.size()) << yaml;
    for (std::size_t i = 0; i < back.nodes.size(); ++i) {
        EXPECT_EQ(back.nodes[i], inventory.nodes[i]) << inventory.nodes[i].name << '\n' << yaml;
    }
    EXPECT_EQ(to_yaml(back), yaml);
}

TEST(Inventory, ANameIsNoOption) {
    NodeSpec node;
    node.name = "-oProxyCommand=x";
    ASSERT_EQ(check_node(node).size(), 1U);
    EXPECT_EQ(check_node(node)[0].key, "name");
}

TEST(Inventory, ThisComputerIsNeverWritten) {
    Inventory inventory;
    EXPECT_EQ(to_yaml(inventory), "nodes: []\n");
    inventory.nodes = {local_node()};
    EXPECT_TRUE(good(to_yaml(inventory)).nodes.empty());
    EXPECT_TRUE(local_node().local);
    EXPECT_GE(local_node().cpu_slots, 1);
    EXPECT_TRUE(check_node(local_node()).empty());
}

TEST(Inventory, WriteKeepsTheOldFileWhenItFails) {
    const test::TemporaryFolder folder;
    Inventory inventory;
    inventory.nodes = odd_nodes();
    ASSERT_TRUE(write_inventory(inventory, folder / "new/cluster.yaml"));
    EXPECT_EQ(read_file(folder / "new/cluster.yaml"), to_yaml(inventory));
    EXPECT_TRUE(read_inventory(folder / "new/cluster.yaml", true).problems.empty());
    test::write_text(folder / "file", "");
    const auto failed = write_inventory(inventory, folder / "file/cluster.yaml");
    ASSERT_FALSE(failed);
    EXPECT_EQ(failed.failure().code, FailureId("cannot-write"));
    EXPECT_NE(failed.failure().what.find("Not a directory"), std::string::npos);
}

TEST(Inventory, AMissingFileIsAFaultOnlyWhenItWasNamed) {
    const test::TemporaryFolder folder;
    const auto missing = folder / "cluster.yaml";
    EXPECT_TRUE(read_inventory(missing, false).problems.empty());
    const auto named = read_inventory(missing, true).problems;
    ASSERT_EQ(named.size(), 1U);
    EXPECT_NE(named[0].what.find("No such file"), std::string::npos);
    EXPECT_EQ(read_inventory(folder.path(), false).problems.size(), 1U) << "a folder in its place";
    const test::ScopedEnvironment config("XDG_CONFIG_HOME", folder.path().string());
    EXPECT_EQ(default_inventory_path(), folder / "rankscope/cluster.yaml");
}

TEST(FoundNodes, AreTheNamesOfKnownHosts) {
    EXPECT_EQ(hosts_of_known_hosts("# comment\n"
                                   "10.0.0.5,gpu1 ssh-ed25519 AAAA\n"
                                   "gpu1 ssh-rsa AAAA\n"
                                   "[gpu2]:2222 ssh-ed25519 AAAA\n"
                                   "|1|aaaa=|bbbb= ssh-ed25519 AAAA\n"
                                   "@cert-authority *.lab ssh-ed25519 AAAA\n"
                                   "*.lab,10.0.0.9 ssh-ed25519 AAAA\n"
                                   "[fe80::1]:2222 ssh-ed25519 AAAA\n"),
              "gpu1\ngpu2:2222\n10.0.0.9\n");
}

TEST(FoundNodes, AreThoseThatAnnounceSsh) {
    EXPECT_EQ(hosts_of_avahi("+;eth0;IPv4;gpu1;_ssh._tcp;local\n"
                             "=;eth0;IPv4;gpu1;_ssh._tcp;local;gpu1.local;10.0.0.5;22;\"model\"\n"
                             "=;eth0;IPv6;gpu1;_ssh._tcp;local;gpu1.local;fe80::1;22;\n"
                             "=;eth0;IPv4;gpu2;_ssh._tcp;local;gpu2.local;10.0.0.6;2222;\n"
                             "=;eth0;IPv4;bad;_ssh._tcp;local;b\\032d.local;10.0.0.7;22;\n"),
              "gpu1 10.0.0.5\n10.0.0.6:2222\n");
}

TEST(FoundNodes, AreListedOnceWithTheirPlace) {
    const test::TemporaryFolder home;
    const test::ScopedEnvironment variable("HOME", home.path().string());
    std::filesystem::create_directories(home / ".ssh");
    test::write_text(home / ".ssh/config", "Host gpu1 old\n  User me\n");
    test::write_text(home / ".ssh/known_hosts", "gpu1,10.0.0.5 ssh-ed25519 A\ngpu3 ssh-ed25519 A\n");
    Inventory inventory;
    inventory.nodes.emplace_back().name = "old";
    const auto found = find_nodes(inventory, {});
    ASSERT_GE(found.nodes.size(), 2U);
    EXPECT_EQ(found.nodes[0].node.name, "gpu1");
    EXPECT_EQ(found.nodes[0].note, "found in ~/.ssh/config");
    EXPECT_EQ(found.nodes[1].node.name, "gpu3");
}

}  // namespace
}  // namespace rankscope
