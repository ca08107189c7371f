// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <remote/desk/runs/preflight/kept_report.h>
#include <remote/desk/runs/store/run_reports.h>
#include <remote/desk/runs/store/run_store.h>
#include <remote/desk/runs/store/store_file.h>
#include <remote/desk/runs/watch/examination_report.h>

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>

namespace rankscope {
namespace {

namespace fs = std::filesystem;

KeptReport some_report() {
    KeptReport kept;
    kept.depth = PreflightDepth::Quick;
    kept.made_us = 1'700'000'000'000'000;
    PreflightReport& report = kept.report;
    report.nodes = {"node1", "node2"};
    report.views.resize(2);
    report.views[0].name = "node1";
    report.views[0].host.set_hostname("one");
    report.views[0].host.mutable_firewall()->set_rules("table inet secret {}");
    report.views[0].env = {{"API_KEY", "hunter2"}};
    report.views[1].name = "node2";
    report.checks.push_back(
        {.id = "master-port-dropped",
         .status = CheckStatus::Fail,
         .nodes = {"node1", "node2"},
         .pairs = {{"node2", "node1"}},
         .detail = "node2 cannot connect to node1",
         .evidence = {"node1, input: tcp dport 29500 drop"},
         .fixes = {
             {.node = "node1", .command = "sudo nft insert", .undo = "sudo nft delete", .needs_root = true},
             {.job = {{"master_port", "0"}}}}});
    report.checks.push_back({.id = "script-missing",
                             .status = CheckStatus::Fail,
                             .nodes = {"node2"},
                             .detail = "ddp.py does not exist on node2.",
                             .remedy = "Push it."});
    PathResult path;
    path.from = 1;
    path.to = 0;
    path.master_port = true;
    path.chosen = true;
    path.address = "10.0.0.1";
    path.port = 29500;
    path.result.set_outcome(wire::CONNECT_DROPPED);
    path.result.set_seconds(2.5);
    report.paths.push_back(path);
    report.choices.push_back({"node1", "eth0", "10.0.0.1", "every node reaches it"});
    report.untested = {"Loss and bandwidth"};
    report.plan.master_node = "node1";
    report.plan.master_port = 29500;
    report.addresses = {{"node1", "10.0.0.1"}};
    report.seconds = 2.9;
    return kept;
}

TEST(KeptReport, ComesBackWithItsTypedFacts) {
    const KeptReport kept = some_report();
    const auto read = report_from_bytes(to_bytes(kept));
    ASSERT_TRUE(read);
    EXPECT_EQ(read->depth, kept.depth);
    EXPECT_EQ(read->made_us, kept.made_us);
    EXPECT_EQ(read->report.nodes, kept.report.nodes);
    EXPECT_EQ(read->report.checks, kept.report.checks);
    ASSERT_EQ(read->report.paths.size(), 1U);
    EXPECT_EQ(read->report.paths[0].result.outcome(), wire::CONNECT_DROPPED);
    EXPECT_TRUE(read->report.paths[0].master_port);
    EXPECT_EQ(read->report.paths[0].port, 29500);
    EXPECT_EQ(read->report.views[0].host.hostname(), "one");
    EXPECT_EQ(read->report.choices.front().why, "every node reaches it");
    EXPECT_EQ(read->report.plan.master_port, 29500);
    EXPECT_EQ(read->report.addresses, kept.report.addresses);
    EXPECT_DOUBLE_EQ(read->report.seconds, 2.9);
}

TEST(KeptReport, KeepsNeitherSecretsNorRules) {
    const std::string bytes = to_bytes(some_report());
    EXPECT_EQ(bytes.find("hunter2"), std::string::npos);
    EXPECT_EQ(bytes.find("inet secret"), std::string::npos);
}

TEST(KeptReport, DamagedBytesAreNoReport) {
    const std::string bytes = to_bytes(some_report());
    EXPECT_FALSE(report_from_bytes(""));
    EXPECT_FALSE(report_from_bytes("no report"));
    for (std::size_t length = 0; length < bytes.size(); length += 7) {
        const auto read = report_from_bytes(std::string_view(bytes).substr(0, length));
        if (read) {
            EXPECT_EQ(read->report.views.size(), read->report.nodes.size());
        }
    }
}

class RunReports : public ::testing::Test {
protected:
    void SetUp() override {
        folder_ = fs::temp_directory_path() / ("rankscope-reports-" + std::to_string(::getpid()));
        fs::create_directories(folder_);
    }
    void TearDown() override { fs::remove_all(folder_); }
    static RunRecord run(const std::string& id) {
        RunRecord record;
        record.run_id = id;
        record.name = "x";
        return record;
    }
    fs::path folder_;
};

TEST_F(RunReports, OutliveTheProgramAndEndWithTheirRun) {
    const fs::path file = folder_ / "runs.sqlite";
    {
        auto store = RunStore::open(file);
        ASSERT_TRUE(store);
        EXPECT_EQ(file_of(**store), file);
        ASSERT_TRUE((*store)->create_run(run("a")));
        EXPECT_EQ(*stored_report(file, "a"), nullptr) << "a run without a report";
        ASSERT_TRUE(store_report(file_of(**store), "a", some_report()));
        ASSERT_TRUE(store_report(file, "gone", some_report()));
    }
    auto store = RunStore::open(file);
    ASSERT_TRUE(store);
    const auto read = stored_report(file, "a");
    ASSERT_TRUE(read);
    ASSERT_NE(*read, nullptr);
    EXPECT_EQ((*read)->report.checks, some_report().report.checks);
    EXPECT_EQ(*stored_report(file, "gone"), nullptr) << "there is no such run";
    ASSERT_TRUE((*store)->remove_run("a"));
    EXPECT_EQ(*stored_report(file, "a"), nullptr);
}

TEST(ExaminationReport, VerdictsOfARunAddWhatTheReportDoesNotSay) {
    const KeptReport kept = some_report();
    Verdict same = verdict_of(kept.report.checks.front());
    Verdict other;
    other.id = "rank-hang";
    other.title = "Rank 1 on node2 was stopped.";
    other.node = "node2";
    const auto report = report_of({same, other}, &kept, kept.report.plan);
    ASSERT_EQ(report.checks.size(), 3U);
    EXPECT_EQ(report.checks.front().detail, other.title);
    EXPECT_EQ(report.paths.size(), 1U) << "what was tried is still there";

    LaunchPlan plan;
    plan.nodes.emplace_back().node = "node1";
    const auto none = report_of({other}, nullptr, plan);
    EXPECT_EQ(none.nodes, std::vector<std::string>{"node1"});
    EXPECT_TRUE(none.paths.empty());
}

}  // namespace
}  // namespace rankscope
