// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include "support/plans.h"
#include "support/temporary_folder.h"

#include <remote/desk/archive/compare/comparison_text.h>
#include <remote/desk/archive/compare/job_values.h>
#include <remote/desk/archive/compare/metric_sense.h>
#include <remote/desk/archive/compare/run_comparison.h>
#include <remote/desk/archive/compare/run_groups.h>
#include <remote/desk/nodes/session/version_names.h>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <chrono>
#include <cmath>
#include <ctime>
#include <map>

namespace rankscope {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr std::int64_t kStart = 1'750'000'000'000'000;

Event metric(int rank, std::int64_t step, std::vector<std::pair<std::string, double>> values) {
    Event event;
    event.node = "node1";
    event.rank = rank;
    event.t_us = kStart + step * 1'000'000;
    event.body = MetricEvent{step, -1, std::move(values), {}};
    return event;
}

class RunComparisonTest : public ::testing::Test {
protected:
    void SetUp() override {
        auto store = RunStore::open(path());
        ASSERT_TRUE(store);
        store_ = *store;
    }
    std::filesystem::path path() const { return folder_ / "runs.sqlite"; }
    // Two ranks; the loss falls from `loss` by one a step.
    void add_run(const std::string& id, const std::string& yaml, double loss, int steps) {
        RunRecord record;
        record.run_id = id;
        record.name = "job";
        record.job_yaml = yaml;
        record.plan = test::plan_of(1, 2);
        record.started_us = kStart;
        ASSERT_TRUE(store_->create_run(record));
        std::vector<Event> events;
        for (int step = 1; step <= steps; ++step) {
            for (const int rank : {0, 1}) {
                events.push_back(
                    metric(rank, step, {{"loss", loss - step + rank * 0.5}, {"images_per_s", 100}}));
                events.back().seq = events.size();
            }
        }
        ASSERT_TRUE(store_->append(id, events));
        EndEvent end;
        end.outcome = Outcome::Done;
        ASSERT_TRUE(store_->finish_run(id, kStart + 60'000'000, end));
    }

    const test::TemporaryFolder folder_;
    std::shared_ptr<RunStore> store_;
};

TEST(MetricSenseTest, NamesSayWhatIsBetter) {
    EXPECT_EQ(better_values("val_loss"), Better::Lower);
    EXPECT_EQ(better_values("t_step_ms"), Better::Lower);
    EXPECT_EQ(better_values("acc1"), Better::Higher);
    EXPECT_EQ(better_values("tokens_per_s"), Better::Higher);
    EXPECT_EQ(better_values("lr"), Better::Unknown);
}

TEST(RunCurvesTest, AMetricOfARunIsTheMeanOfItsRanksAndARateTheirSum) {
    RunCurves curves(kStart);
    for (const int rank : {0, 1}) {
        curves.add(metric(rank, 5, {{"loss", 1.0 + rank}, {"images_per_s", 50}, {"steps", 100}}));
    }
    EXPECT_EQ(curves.names().size(), 2U) << "totals are no curves";
    EXPECT_DOUBLE_EQ(curves.find("loss")->stats(false).last, 1.5);
    EXPECT_DOUBLE_EQ(curves.find("images_per_s")->stats(true).last, 100);
    EXPECT_DOUBLE_EQ(curves.find("loss")->points(false).front().t_s, 5);
}

TEST(RunCurvesTest, AFileThatComesLateReplacesWhatLinesHaveGiven) {
    RunCurves curves(kStart);
    for (const std::int64_t step : {5, 10, 20}) {
        curves.add(metric(0, step, {{"loss", 0.01}, {"lr", 0.1}}));
    }
    for (const std::int64_t step : {9, 19}) {
        Event event = metric(0, step, {{"loss", 1}});
        auto& body = std::get<MetricEvent>(event.body);
        body.from_file = true;
        body.voids_after = step == 9 ? std::optional<std::int64_t>(-1) : std::nullopt;
        curves.add(event);
    }
    EXPECT_EQ(curves.find("loss")->points(false).size(), 2U);
    EXPECT_DOUBLE_EQ(curves.find("loss")->stats(false).min, 1);
    EXPECT_EQ(curves.find("lr")->points(false).size(), 3U);
}

TEST(RunCurvesTest, BadValuesAreCountedAndRestartsReplaceWhatCameAfter) {
    MetricCurve curve;
    for (std::int64_t step = 0; step < 10; ++step) {
        curve.add(step, kNan, double(step), 0, double(step));
    }
    curve.add(9, kNan, 9, 0, kNan);
    curve.add(10, kNan, 10, -7, std::numeric_limits<double>::infinity());
    curve.add(4, kNan, 20, 0, 100);
    const MetricStats stats = curve.stats(false);
    EXPECT_EQ(stats.not_finite, 2U);
    EXPECT_DOUBLE_EQ(stats.last, 100);
    EXPECT_DOUBLE_EQ(stats.last_step, 4);
    EXPECT_EQ(curve.points(false).size(), 5U);
}

TEST(RunCurvesTest, AMillionStepsStayBoundedAndTheLastValueExact) {
    MetricCurve curve;
    for (std::int64_t step = 0; step < 1'000'000; ++step) {
        curve.add(step, kNan, double(step), 0, step == 999'999 ? 7 : 1);
    }
    curve.add(std::numeric_limits<std::int64_t>::max(), kNan, 1e6, 1, 3);
    EXPECT_LE(curve.points(false).size(), MetricCurve::kMostPoints);
    EXPECT_DOUBLE_EQ(curve.stats(false).last, 3);
}

TEST_F(RunComparisonTest, WhatDiffersAndWhatTheMetricsComeTo) {
    add_run("a", "name: job\nnodes: local\ntrain: { batch_size: 64, optimizer: { lr: 0.1 } }\n", 20, 10);
    add_run("b", "name: job\nnodes: local\ntrain: { batch_size: 128, optimizer: { lr: 0.1 } }\n", 10, 5);
    std::size_t read = 0;
    const auto all = compare_runs(*store_, {}, {"a", "b", "a"}, MetricTarget{"loss", 12},
                                  [&](std::size_t done) { read = done; });
    ASSERT_TRUE(all);
    EXPECT_EQ(all->runs.size(), 2U) << "each once";
    EXPECT_EQ(read, 2U);
    const auto row = [&](const std::string& key) {
        return std::find_if(all->values.begin(), all->values.end(),
                            [&](const ComparedValue& value) { return value.key == key; });
    };
    ASSERT_NE(row("train.batch_size"), all->values.end());
    EXPECT_EQ(row("train.batch_size")->values, (std::vector<std::string>{"64", "128"}));
    EXPECT_TRUE(row("train.batch_size")->differs);
    EXPECT_FALSE(row("train.optimizer.lr")->differs);
    const ComparedMetric& loss = all->metrics.front();
    ASSERT_EQ(loss.name, "loss");
    EXPECT_DOUBLE_EQ(loss.stats[0].last, 10.25);
    EXPECT_DOUBLE_EQ(loss.stats[1].best("loss"), 5.25);
    EXPECT_EQ(loss.time_to_target, (std::vector<double>{9, 1}));
    ASSERT_EQ(loss.groups.size(), 1U) << "both have one name";
    EXPECT_EQ(loss.groups[0].last.count, 2U);
    EXPECT_NEAR(loss.groups[0].last.deviation, 3.5355, 1e-3);
    const auto json = comparison_json(*all, false);
    EXPECT_EQ(json["metrics"][0]["seconds_to_target"][0], 9);
    EXPECT_EQ(comparison_csv(*all, true).substr(0, 19), "section,key,a,b\r\nru");
}

TEST_F(RunComparisonTest, VersionsAreThoseOfTheStart) {
    const std::string yaml = "name: job\nnodes: local\n";
    add_run("a", yaml, 20, 10);
    add_run("b", yaml, 20, 10);
    NodeFacts facts;
    facts.kernel = "6.1.0";
    ASSERT_TRUE(store_->save_facts("node1", facts, 1));
    for (const char* const run : {"a", "b"}) {
        ASSERT_TRUE(store_->keep_facts(run, "node1"));
    }
    wire::HostInspection host;
    for (const auto& [name, value] : {std::pair("torch", "2.9.1"), std::pair("nccl", ""),
                                      std::pair("nccl.system", "2.28.7"), std::pair("kernel", "6.1.0")}) {
        host.add_versions()->set_name(name);
        host.mutable_versions()->rbegin()->set_value(value);
    }
    auto versions = library_versions(host);
    EXPECT_EQ(versions, (std::map<std::string, std::string>{{"torch", "2.9.1"}, {"nccl.system", "2.28.7"}}));
    ASSERT_TRUE(store_->keep_versions("a", "node1", versions));
    versions["torch"] = "2.8.0";
    ASSERT_TRUE(store_->keep_versions("b", "node1", versions));
    ASSERT_TRUE(store_->keep_facts("b", "node1")) << "as an attach does";
    const auto all = compare_runs(*store_, {}, {"a", "b"}, {});
    ASSERT_TRUE(all);
    std::map<std::string, std::vector<std::string>> rows;
    for (const auto& value : all->values) {
        rows[value.key] = value.values;
    }
    EXPECT_EQ(rows["node1 PyTorch"], (std::vector<std::string>{"2.9.1", "2.8.0"}));
    EXPECT_EQ(rows["node1 NCCL of the system"], (std::vector<std::string>{"2.28.7", "2.28.7"}));
    EXPECT_EQ(rows["node1 kernel"], (std::vector<std::string>{"6.1.0", "6.1.0"}));
}

TEST(VersionLines, AreOneWhereNodesAgree) {
    NodeFacts old_node;
    old_node.versions = {{"python", "3.10.1"}, {"torch", "2.8.0"}};
    NodeFacts new_node;
    new_node.versions = {{"python", "3.11.2"}, {"torch", "2.9.0"}};
    EXPECT_EQ(version_lines({{"a", new_node}, {"b", new_node}, {"c", {}}}),
              std::vector<std::string>{"Versions: Python 3.11.2, PyTorch 2.9.0"});
    EXPECT_EQ(version_lines({{"a", new_node}, {"b", old_node}, {"c", new_node}}),
              (std::vector<std::string>{"Versions on a, c: Python 3.11.2, PyTorch 2.9.0",
                                        "Versions on b: Python 3.10.1, PyTorch 2.8.0"}));
    EXPECT_TRUE(version_lines({{"c", {}}}).empty());
}

TEST_F(RunComparisonTest, OneThatCannotBeReadIsReportedAndTheOthersAreShown) {
    add_run("a", "name: job\n", 20, 10);
    add_run("b", "name: job\n", 20, 10);
    add_run("empty", "no: [job", 20, 0);
    const auto all = compare_runs(*store_, {}, {"a", "gone", "b", "empty"}, {});
    ASSERT_TRUE(all);
    EXPECT_EQ(all->runs.size(), 3U);
    ASSERT_EQ(all->problems.size(), 2U);
    EXPECT_EQ(all->problems[0].code, FailureId("no-such-run"));
    EXPECT_NE(all->problems[1].what.find("no metrics"), std::string::npos);
    EXPECT_EQ(compare_runs(*store_, {}, {"a", "gone"}, {}).failure().code, FailureId("no-such-run"));
    EXPECT_EQ(compare_runs(*store_, {}, {"a"}, {}).failure().code, FailureId("bad-request"));
    std::stop_source stop;
    stop.request_stop();
    EXPECT_EQ(compare_runs(*store_, {}, {"a", "b"}, {}, {}, stop.get_token()).failure().code,
              FailureId("cancelled"));
}

TEST_F(RunComparisonTest, ABandIsTheMeanWhereTwoCurvesAre) {
    const std::vector<CurvePoint> a{{0, kNan, 0, 0}, {10, kNan, 1, 10}};
    const std::vector<CurvePoint> b{{0, kNan, 0, 2}, {5, kNan, 1, 7}};
    const auto band = band_of({&a, &b}, CurveAxis::Step, 11);
    ASSERT_EQ(band.size(), 6U) << "up to the end of the shorter one";
    EXPECT_DOUBLE_EQ(band[4].values.mean, 5);
    EXPECT_TRUE(band_of({&a, &b}, CurveAxis::Epoch).empty());
}

TEST_F(RunComparisonTest, SummariesAreKeptAndComputedAgainWhenTheRunHasChanged) {
    add_run("a", "name: job\ntrain: { epochs: 3 }\n", 20, 10);
    const auto load = [&] {
        std::shared_ptr<const RunSummary> found;
        const auto runs = store_->runs();
        EXPECT_TRUE(load_summaries(
            *store_, *runs,
            [&](const std::string&, std::shared_ptr<const RunSummary> s) { found = std::move(s); }));
        return found;
    };
    EXPECT_DOUBLE_EQ(load()->metric("loss")->last, 10.25);
    ASSERT_FALSE(store_->summaries("a")->front().body.empty());
    EXPECT_EQ(load()->job.at("train.epochs"), "3");
    Event late = metric(0, 11, {{"loss", 1}});
    late.seq = 1000;
    ASSERT_TRUE(store_->append("a", {late}));
    EXPECT_TRUE(store_->summaries("a")->front().body.empty()) << "out of date";
    EXPECT_DOUBLE_EQ(load()->metric("loss")->last, 1);
    for (const char* damaged :
         {"", "{", "[]", "{\"version\":2}", R"({"version":2,"metrics":[1,["x"]],"job":[]})",
          R"({"version":1,"metrics":[],"job":{}})", R"({"version":99,"metrics":[],"job":{}})"}) {
        EXPECT_FALSE(summary_from_text(damaged)) << damaged;
    }
    EXPECT_TRUE(
        summary_from_text(R"({"version":2,"metrics":[["x",[null,"a"]],[1]],"job":{"a":1},"steps":"x"})"));
}

// As an earlier version imported it.
TEST_F(RunComparisonTest, AJobThatExplodesIsAValueOfItsRunAlone) {
    add_run("good", "train: {lr: 0.1}\ncommand: [train.py, --api-key, Zq7xK2pW9vT4]\n", 20, 10);
    std::string list = "a: [0";
    for (int i = 0; i < 5'000'000; ++i) {
        list += ",0";
    }
    add_run("long", list + "]\n", 20, 10);
    add_run("laughs", "a: &a [x,x]\nb: &b [*a,*a,*a]\nc: [*b, *c]\n", 20, 10);
    add_run("deep", std::string(900'000, '['), 20, 10);
    const std::clock_t begin = std::clock();
    std::map<std::string, std::shared_ptr<const RunSummary>> found;
    ASSERT_TRUE(load_summaries(*store_, *store_->runs(),
                               [&](const std::string& run, std::shared_ptr<const RunSummary> summary) {
                                   found[run] = std::move(summary);
                               }));
    EXPECT_LT(std::clock() - begin, 20 * CLOCKS_PER_SEC);
    ASSERT_EQ(found.size(), 4U);
    EXPECT_EQ(found["good"]->job.at("train.lr"), "0.1");
    EXPECT_EQ(found["good"]->job.at("command").find("Zq7xK2pW9vT4"), std::string::npos);
    for (const char* run : {"long", "laughs", "deep"}) {
        ASSERT_TRUE(found[run]->job.contains(kUnreadableJob)) << run;
        EXPECT_EQ(found[run]->job.size(), 1U);
        EXPECT_TRUE(found[run]->metric("loss") != nullptr) << "its curves are there";
    }
    const auto compared = compare_runs(*store_, {}, {"good", "long"}, {});
    ASSERT_TRUE(compared) << compared.failure().what;
    EXPECT_EQ(compared->runs.size(), 2U);
}

TEST_F(RunComparisonTest, ColumnsSortNumbersAsNumbers) {
    add_run("a", "name: job\ntrain: { batch_size: 64 }\n", 20, 10);
    const auto run = store_->run("a");
    const auto summary = summarize_run(*store_, *run);
    ASSERT_TRUE(summary);
    const auto value = [&](const char* id) { return column_value(*run_column(id), *run, &*summary); };
    EXPECT_EQ(value("loss:best").text, "10.25");
    EXPECT_EQ(value("job:train.batch_size").number, 64);
    EXPECT_EQ(value("run:steps").number, 10);
    EXPECT_TRUE(value("lr:best").text.empty());
    for (const char* id : {"loss:best", "a:b:mean", "job:train.lr", "run:verdict"}) {
        EXPECT_EQ(run_column(id)->id(), id);
    }
    EXPECT_FALSE(run_column("run:colour"));
    EXPECT_FALSE(run_column(""));
    EXPECT_TRUE(column_less({"9", 9}, {"10", 10}));
    EXPECT_TRUE(column_less({"10", 10}, {"auto", kNan}));
    EXPECT_TRUE(column_less({"z", kNan}, {"", kNan}));
    EXPECT_EQ(run_grouping("tag")->groups_of(*run, {.tags = {"x", "y"}}, nullptr).size(), 2U);
    EXPECT_EQ(to_text(spread_of({1, 2, kNan})), "1.5 ± 0.71");
    EXPECT_EQ(to_text(spread_of({360, 600})), "480 ± 170");
    EXPECT_EQ(to_text(spread_of({1, 2e9})), "1e+09 ± 1.4e+09");
}

TEST_F(RunComparisonTest, ManySummariesAreReadQuickly) {
    RunSummary summary;
    for (int i = 0; i < 20; ++i) {
        summary.metrics.emplace_back("metric" + std::to_string(i), MetricStats{1, 2, 3, 4, 5, 6, 7, 8, 9});
        summary.job.emplace("train.key" + std::to_string(i), "value");
    }
    constexpr int kRuns = 2000;
    std::vector<KeptSummary> kept;
    for (int i = 0; i < kRuns; ++i) {
        RunRecord record;
        record.run_id = "run-" + std::to_string(i);
        record.name = "job";
        record.started_us = i;
        ASSERT_TRUE(store_->create_run(record));
        kept.push_back({record.run_id, 0, 0, to_text(summary)});
    }
    ASSERT_TRUE(store_->keep_summaries(kept));
    const auto begin = std::chrono::steady_clock::now();
    const auto runs = store_->runs();
    const auto listed = std::chrono::steady_clock::now();
    int found = 0;
    ASSERT_TRUE(load_summaries(*store_, *runs, [&](const std::string&, const auto&) { ++found; }));
    const auto end = std::chrono::steady_clock::now();
    EXPECT_EQ(found, kRuns);
    const auto ms = [](auto time) {
        return int(std::chrono::duration_cast<std::chrono::milliseconds>(time).count());
    };
    RecordProperty("list_ms", ms(listed - begin));
    RecordProperty("summaries_ms", ms(end - listed));
}

}  // namespace
}  // namespace rankscope
