// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <base/files.h>
#include <base/text.h>
#include <remote/logs/variables/setting_rows.h>
#include <remote/logs/variables/version_text.h>

#include <gtest/gtest.h>

#include <algorithm>

namespace rankscope::logs {
namespace {

const VariableTable& table() {
    static const VariableTable own = [] {
        std::vector<std::string> problems;
        return VariableTable::parse(read_file(RANKSCOPE_RESOURCES "/nccl_variables.yaml").value_or(""),
                                    "vars", problems);
    }();
    return own;
}

std::string check(const std::string& name, const std::string& value = "1",
                  const VariableVersions& versions = {}) {
    std::string all;
    for (const auto& problem : table().check(name, value, versions)) {
        all += (all.empty() ? "" : ", ") + std::string(to_string(problem.kind)) +
               (problem.detail.empty() ? "" : " ") + problem.detail;
    }
    return all;
}

TEST(VariableTables, OwnTableIsValid) {
    std::vector<std::string> problems;
    const auto own = VariableTable::parse(read_file(RANKSCOPE_RESOURCES "/nccl_variables.yaml").value_or(""),
                                          "vars", problems);
    EXPECT_EQ(joined(problems, "\n"), "");
    EXPECT_GE(own.all().size(), 350U);
    for (const auto& info : own.all()) {
        EXPECT_TRUE(info.instead.empty() || own.find(info.instead) != nullptr) << info.name;
        EXPECT_TRUE(info.since.empty() || info.until.empty() || !is_newer(info.since, info.until))
            << info.name;
    }
}

TEST(VariableTables, MisspeltNamesGetTheRightOne) {
    EXPECT_EQ(check("NCCL_SOCKET_IFNAM"), "misspelt NCCL_SOCKET_IFNAME");
    EXPECT_EQ(check("NCCL_SOCKET_INFAME"), "misspelt NCCL_SOCKET_IFNAME");
    EXPECT_EQ(check("NCCL_SOCKETIFNAME"), "misspelt NCCL_SOCKET_IFNAME");
    EXPECT_EQ(check("NCCL_SOCKET_IF_NAME"), "misspelt NCCL_SOCKET_IFNAME");
    EXPECT_EQ(check("NCLL_DEBUG"), "misspelt NCCL_DEBUG");
    EXPECT_EQ(check("nccl_debug"), "misspelt NCCL_DEBUG");
    EXPECT_EQ(check("NCCL_IB_DISABLED"), "misspelt NCCL_IB_DISABLE");
    EXPECT_EQ(check("NCCL_P2P_DISABLED"), "misspelt NCCL_P2P_DISABLE");
    EXPECT_EQ(check("TORCH_NCCL_HEARTBEAT_TIMEOUT"), "misspelt TORCH_NCCL_HEARTBEAT_TIMEOUT_SEC");
    EXPECT_EQ(check("GLOO_SOCKET_IFNAMES"), "misspelt GLOO_SOCKET_IFNAME");
    EXPECT_EQ(check("NCCL_TOTALLY_DIFFERENT"), "unknown");
    EXPECT_EQ(check("NCCL_UCX_TLS"), "");  // of a plugin
    EXPECT_EQ(check("MASTER_ADDR"), "");
}

TEST(VariableTables, EveryKnownNameIsRight) {
    for (const auto& info : table().all()) {
        for (const auto& problem : table().check(info.name, "", {})) {
            EXPECT_TRUE(problem.kind == VariableProblemKind::Removed ||
                        problem.kind == VariableProblemKind::Renamed)
                << info.name;
        }
    }
}

TEST(VariableTables, ValuesOutOfRange) {
    EXPECT_EQ(check("NCCL_IB_TIMEOUT", "22"), "");
    EXPECT_EQ(check("NCCL_IB_TIMEOUT", "99"), "bad-value int 0..31");
    EXPECT_EQ(check("NCCL_IB_TIMEOUT", "long"), "bad-value int 0..31");
    EXPECT_EQ(check("NCCL_IB_DISABLE", "true"), "bad-value flag");
    EXPECT_EQ(check("NCCL_IB_DISABLE", ""), "");
    EXPECT_EQ(check("TORCH_NCCL_BLOCKING_WAIT", "true"), "");
    EXPECT_EQ(check("NCCL_DEBUG", "info"), "");
    EXPECT_EQ(check("NCCL_DEBUG", "VERBOSE"), "bad-value choice VERSION,WARN,INFO,TRACE,ABORT");
    EXPECT_EQ(check("NCCL_DEBUG_SUBSYS", "INIT,NET"), "");
    EXPECT_EQ(check("NCCL_DEBUG_SUBSYS", "^COLL"), "");
    EXPECT_NE(check("NCCL_DEBUG_SUBSYS", "INIT,NETWORK"), "");
    EXPECT_EQ(check("NCCL_ALGO", "ring,collnetdirect;allreduce:^tree"), "");
    EXPECT_EQ(check("NCCL_NET_GDR_LEVEL", "PHB"), "");
    EXPECT_EQ(check("NCCL_NET_GDR_LEVEL", "FAR"), "bad-value level");
    EXPECT_EQ(check("NCCL_SOCKET_NTHREADS", "{local_rank}"), "");  // filled in at the start
    EXPECT_EQ(check("NCCL_BUFFSIZE", "0x400000"), "");
}

TEST(VariableTables, VersionsDecide) {
    EXPECT_EQ(check("NCCL_RAS_ENABLE", "1", {.nccl = "2.20.5", .torch = {}}), "too-new 2.24.3");
    EXPECT_EQ(check("NCCL_RAS_ENABLE", "1", {.nccl = "2.28.9", .torch = {}}), "");
    EXPECT_EQ(check("NCCL_TREE_THRESHOLD", "0", {.nccl = "2.18.3", .torch = {}}), "removed 2.4.8");
    EXPECT_EQ(check("NCCL_TREE_THRESHOLD", "0", {.nccl = "2.4.8", .torch = {}}), "");
    EXPECT_EQ(check("NCCL_ASYNC_ERROR_HANDLING", "1", {.nccl = {}, .torch = "2.6.0"}),
              "renamed TORCH_NCCL_ASYNC_ERROR_HANDLING");
    EXPECT_EQ(check("NCCL_ASYNC_ERROR_HANDLING", "1", {.nccl = {}, .torch = "1.13.1"}), "");
    EXPECT_TRUE(is_newer("2.10.3", "2.9.9"));
    EXPECT_FALSE(is_newer("2.28.9", "2.28"));
    EXPECT_FALSE(is_newer("x", "2"));
}

TEST(VariableTables, ProblemsHaveTheirLine) {
    std::vector<std::string> problems;
    const auto some = VariableTable::parse(
        "- {name: A_B, of: nccl, meaning: m, values: flag}\n"
        "- {name: A_C, of: unknown, meaning: m, values: flag}\n"
        "- {name: A_D, of: nccl, meaning: m, values: int 3}\n"
        "- {name: A_B, of: nccl, meaning: m, values: flag}\n"
        "- {name: A_E, of: nccl, meaning: m, values: flag, colour: red}\n",
        "f", problems);
    EXPECT_EQ(some.all().size(), 1U);
    EXPECT_EQ(joined(problems, "|"),
              "f:2: an entry needs `name`, `of` and `meaning`|f:3: the values of A_D are not understood|f:4: "
              "A_B is there twice|"
              "f:5: unknown key \"colour\"");
    problems.clear();
    EXPECT_TRUE(VariableTable::parse("{", "f", problems).all().empty());
    EXPECT_EQ(problems.size(), 1U);
}

TEST(SettingBooks, RanksAndWhoSetThem) {
    SettingBook book;
    for (int rank = 0; rank < 8; ++rank) {
        book.add_rank("NCCL_SOCKET_IFNAME", "=eth0", SettingOrigin::Rankscope, "", rank);
        book.add_rank("NCCL_ALGO", rank == 3 ? "Tree" : "Ring", SettingOrigin::Job,
                      rank == 3 ? "rank_env" : "env", rank);
        book.add_rank("PATH", "/bin", SettingOrigin::Job, "env", rank);
    }
    const auto rows = book.rows(table(), {});
    ASSERT_EQ(rows.size(), 2U);
    EXPECT_EQ(rows[0].name, "NCCL_ALGO");
    EXPECT_TRUE(rows[0].differs);
    ASSERT_EQ(rows[0].uses.size(), 2U);
    EXPECT_EQ(ranks_text(rows[0].uses[0].ranks), "0-2,4-7");
    EXPECT_EQ(ranks_text(rows[0].uses[1].ranks), "3");
    EXPECT_EQ(rows[0].uses[1].where, "rank_env");
    EXPECT_EQ(rows[1].name, "NCCL_SOCKET_IFNAME");
    EXPECT_EQ(rows[1].uses[0].origin, SettingOrigin::Rankscope);
    EXPECT_FALSE(rows[1].differs);
    EXPECT_NE(rows[1].info, nullptr);
}

TEST(SettingBooks, LinesOfNcclConfirmAndComplete) {
    RunFacts facts;
    facts.hosts.push_back(
        {.name = "a", .bootstrap = {}, .sockets = {}, .ib_devices = {}, .out_of_band = {}, .networks = {}});
    facts.processes.resize(2);
    Communicator communicator;
    communicator.nranks = 2;
    for (int rank = 0; rank < 2; ++rank) {
        CommMember member;
        member.process = static_cast<std::size_t>(rank);
        member.rank = rank;
        communicator.members.push_back(member);
    }
    facts.communicators.push_back(communicator);
    facts.settings.push_back({.name = "NCCL_ALGO", .value = "Ring", .place = {0, 7}, .processes = {0, 1}});
    facts.settings.push_back({.name = "NCCL_CHUNK_SIZE", .value = "4096", .place = {1, 8}, .processes = {1}});
    facts.versions.push_back({.nccl = "2.28.9", .cuda = "12.9", .place = {}});
    SettingBook book;
    book.add_rank("NCCL_ALGO", "Ring", SettingOrigin::Job, "env", 0);
    book.add_rank("NCCL_ALGO", "Ring", SettingOrigin::Job, "env", 1);
    // Rank 1 got a value of the job and prints another one; of rank 0 alone nothing is known.
    facts.settings.push_back({.name = "NCCL_PROTO", .value = "LL", .place = {1, 9}, .processes = {1}});
    facts.settings.push_back({.name = "NCCL_PROTO", .value = "LL128", .place = {0, 9}, .processes = {0}});
    book.add_rank("NCCL_PROTO", "Simple", SettingOrigin::Job, "rank_env", 1);
    book.add_facts(facts);
    const auto rows = book.rows(table(), versions_of(facts));
    ASSERT_EQ(rows.size(), 3U);
    ASSERT_EQ(rows[2].uses.size(), 3U);
    EXPECT_EQ(rows[2].uses[1].value, "LL");
    EXPECT_EQ(rows[2].uses[1].origin, SettingOrigin::Program);
    EXPECT_EQ(ranks_text(rows[2].uses[1].ranks), "1");
    EXPECT_EQ(rows[2].uses[2].origin, SettingOrigin::Log);
    ASSERT_EQ(rows[0].uses.size(), 1U);
    EXPECT_TRUE(rows[0].uses[0].logged);
    EXPECT_EQ(rows[0].uses[0].line.line, 7U);
    EXPECT_EQ(rows[1].uses[0].origin, SettingOrigin::Log);
    EXPECT_EQ(ranks_text(rows[1].uses[0].ranks), "1");
    EXPECT_TRUE(rows[1].differs);
}

}  // namespace
}  // namespace rankscope::logs
