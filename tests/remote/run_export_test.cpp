// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include "support/events.h"
#include "support/plans.h"
#include "support/temporary_folder.h"

#include <base/files.h>
#include <remote/desk/archive/export/csv_cell.h>
#include <remote/desk/archive/export/curve_bins.h>
#include <remote/desk/archive/export/run_export.h>
#include <remote/desk/archive/export/svg_plot.h>
#include <remote/observe/tensorboard/record_stream.h>
#include <remote/observe/tensorboard/scalars.h>

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

namespace rankscope {
namespace {

namespace fs = std::filesystem;
using test::make_event;

constexpr const char* kToken = "hf_AbCdEfGhIjKlMnOpQrStUvWxYz012345";
constexpr std::int64_t kStart = 1'700'000'000'000'000;

class RunExportTest : public ::testing::Test {
protected:
    RunExportTest() : store_(*RunStore::open(folder_ / "runs.sqlite")) {
        RunRecord record;
        record.run_id = "20261120-120000-abcdef";
        record.name = "a <b> & \"c\"";
        record.plan = test::plan_of(2, 1);
        record.plan.ranks[0].env["HF_TOKEN"] = kToken;
        record.job_yaml =
            std::string("name: x\nenv: {HF_TOKEN: ") + kToken + "}\ncommand: [python3, train.py]\n";
        record.started_us = kStart;
        record.world_size = 2;
        record.nodes = "node1, node2";
        EXPECT_TRUE(store_->create_run(record));
        id_ = record.run_id;
    }

    void add(EventBody body, const std::string& node, int rank, double seconds) {
        Event event = make_event(std::move(body), ++seq_, node, rank);
        event.t_us = kStart + static_cast<std::int64_t>(seconds * 1e6);
        EXPECT_TRUE(store_->append(id_, {event}));
    }
    void add_metrics() {
        add(MetricEvent{1, 0.5, {{"loss", 2.5}, {"odd, \"name\"", 1}}, {}}, "node1", 0, 1);
        add(MetricEvent{2, 1, {{"loss", std::numeric_limits<double>::quiet_NaN()}}, {}}, "node1", 0, 2);
        add(MetricEvent{1, -1, {{"loss", 0.1}}, {}}, "node2", 1, 2.5);
        add(MetricEvent{-1, -1, {{"tokens/s", 1e6}}, {}}, "node2", 1, 3);
        add(SampleEvent{{{"cpu", 0.25}, {"gpu.0.util", 0.5}}}, "node1", -1, 4);
    }
    Result<void> written(ExportFormat format, const fs::path& path, bool replace = false) {
        return export_run(*store_, id_,
                          {.format = format, .path = path, .replace = replace, .program = "test 1"});
    }
    std::string text_of(ExportFormat format) {
        const fs::path file = folder_ / (std::string("out.") + to_string(format));
        EXPECT_TRUE(written(format, file, true));
        return read_file(file).value_or("");
    }
    // Files of the folder besides the store's.
    std::size_t files() const {
        std::size_t count = 0;
        for (const auto& entry : fs::directory_iterator(folder_.path())) {
            count += entry.path().filename().string().starts_with("runs.sqlite") ? 0 : 1;
        }
        return count;
    }

    test::TemporaryFolder folder_;
    std::shared_ptr<RunStore> store_;
    std::string id_;
    std::uint64_t seq_ = 0;
};

TEST_F(RunExportTest, MetricsAreATable) {
    add_metrics();
    EXPECT_EQ(text_of(ExportFormat::Csv),
              "t_us,seconds,node,rank,step,epoch,loss,\"odd, \"\"name\"\"\",tokens/s\r\n"
              "1700000001000000,1,node1,0,1,0.5,2.5,1,\r\n"
              "1700000002000000,2,node1,0,2,1,nan,,\r\n"
              "1700000002500000,2.5,node2,1,1,,0.1,,\r\n"
              "1700000003000000,3,node2,1,,,,,1e+06\r\n");
}

TEST_F(RunExportTest, WhatAFileReplacesIsLeftOut) {
    const auto from_file = [](std::int64_t step, double value, std::int64_t after) {
        MetricEvent metric{step, -1, {{"loss", value}}, {}};
        metric.from_file = true;
        metric.voids_after = after;
        return metric;
    };
    add(MetricEvent{1, -1, {{"loss", 0.5}, {"lr", 0.1}}, {}}, "node1", 0, 1);
    add(MetricEvent{2, -1, {{"loss", 0.4}}, {}}, "node1", 0, 2);
    add(MetricEvent{2, -1, {{"loss", 7}}, {}}, "node2", 1, 2);
    add(from_file(1, 0.512, -1), "node1", 0, 3);
    add(MetricEvent{2, -1, {{"loss", 0.41}}, {}}, "node1", 0, 4);
    add(MetricEvent{3, -1, {{"loss", 0.3}}, {}}, "node1", 0, 5);
    add(from_file(2, 0.412, 1), "node1", 0, 6);
    EXPECT_EQ(text_of(ExportFormat::Csv),
              "t_us,seconds,node,rank,step,epoch,lr,loss\r\n"
              "1700000001000000,1,node1,0,1,,0.1,\r\n"
              "1700000002000000,2,node2,1,2,,,7\r\n"
              "1700000003000000,3,node1,0,1,,,0.512\r\n"
              "1700000006000000,6,node1,0,2,,,0.412\r\n");
}

TEST_F(RunExportTest, NoNameIsAFormulaOfASpreadsheet) {
    add(
        MetricEvent{
            1, -1, {{"=cmd|' /C calc'!A0", 1}, {"@SUM(1)", 2}, {"-1+cmd|x", -3}, {"\t=1", 4}, {"+a", 5}}, {}},
        "=HYPERLINK(\"http://x\")", 0, 1);
    EXPECT_EQ(text_of(ExportFormat::Csv),
              "t_us,seconds,node,rank,step,epoch,'=cmd|' /C calc'!A0,'@SUM(1),'-1+cmd|x,\"'\t=1\",'+a\r\n"
              "1700000001000000,1,\"'=HYPERLINK(\"\"http://x\"\")\",0,1,,1,2,-3,4,5\r\n");
}

TEST(CsvCell, ANumberKeepsItsSignAndATerminalObeysNothing) {
    for (const char* text : {"-0.5", "+1e-05", "-inf", "-nan", "-0.3 ± 0.1", "x=1", "a-b"}) {
        EXPECT_EQ(csv_cell(text), text);
    }
    EXPECT_EQ(csv_cell("=1"), "'=1");
    EXPECT_EQ(csv_cell("-x"), "'-x");
    EXPECT_EQ(csv_cell("\r=1"), "\"'\r=1\"");
    EXPECT_EQ(csv_cell("\n=1"), "\"'\n=1\"");
    for (const char* sign : {"＝", "＋", "－", "＠"}) {
        EXPECT_EQ(csv_cell(std::string(sign) + "1"), std::string("'") + sign + "1") << "of full width";
    }
    EXPECT_EQ(csv_cell("-2+3"), "'-2+3");
    EXPECT_EQ(csv_cell("\x1b]52;c;x\x07"), "\\x1b]52;c;x\\x07");
    EXPECT_EQ(csv_cell("a\nb"), "\"a\nb\"");
}

TEST_F(RunExportTest, TelemetryIsATable) {
    add_metrics();
    EXPECT_EQ(text_of(ExportFormat::Telemetry),
              "t_us,seconds,node,key,value\r\n"
              "1700000004000000,4,node1,cpu,0.25\r\n"
              "1700000004000000,4,node1,gpu.0.util,0.5\r\n");
}

TEST_F(RunExportTest, EventFilesReadBack) {
    add_metrics();
    const fs::path folder = folder_ / "tb";
    ASSERT_TRUE(written(ExportFormat::TensorBoard, folder));
    std::map<std::string, std::vector<tensorboard::Scalars>> found;
    for (const auto& entry : fs::recursive_directory_iterator(folder)) {
        if (entry.is_regular_file()) {
            EXPECT_TRUE(entry.path().filename().string().starts_with("events.out.tfevents.1700000000."));
            const std::string bytes = read_file(entry.path()).value_or("");
            EXPECT_EQ(bytes.find(kToken), std::string::npos);
            tensorboard::RecordStream stream;
            for (const auto& record : stream.feed(bytes)) {
                const auto scalars = tensorboard::read_scalars(record);
                ASSERT_TRUE(scalars);
                if (!scalars->values.empty()) {
                    found[entry.path().parent_path().filename().string()].push_back(*scalars);
                }
            }
            EXPECT_FALSE(stream.damaged());
            EXPECT_EQ(stream.offset(), bytes.size());
        }
    }
    ASSERT_EQ(found.size(), 3U);
    ASSERT_EQ(found["rank0"].size(), 2U);
    EXPECT_EQ(found["rank0"][0].step, 1);
    EXPECT_EQ(found["rank0"][0].values.front(), (std::pair<std::string, double>("loss", 2.5)));
    EXPECT_TRUE(std::isnan(found["rank0"][1].values.front().second));
    ASSERT_EQ(found["rank1"].size(), 2U);
    EXPECT_EQ(found["rank1"][0].values.front().second, static_cast<double>(0.1F));
    EXPECT_EQ(found["rank1"][1].step, 1) << "a report without a step stands at the last one";
    ASSERT_EQ(found["node-node1"].size(), 1U);
    EXPECT_EQ(found["node-node1"][0].step, 4);
    EXPECT_EQ(found["node-node1"][0].values.back(), (std::pair<std::string, double>("gpu.0/util", 0.5)));
}

TEST_F(RunExportTest, MlflowReadsTheFolder) {
    add_metrics();
    const fs::path folder = folder_ / "mlruns";
    ASSERT_TRUE(written(ExportFormat::Mlflow, folder));
    std::map<std::string, std::string> found;
    for (const auto& entry : fs::recursive_directory_iterator(folder)) {
        if (entry.is_regular_file()) {
            const std::string bytes = read_file(entry.path()).value_or("");
            EXPECT_EQ(bytes.find(kToken), std::string::npos);
            const fs::path name = entry.path().lexically_relative(folder / "1");
            fs::path tag = folder / "1" / *name.begin() / "tags" / "mlflow.runName";
            const std::string run = read_file(tag).value_or("");
            found[run.substr(run.rfind(' ') + 1) + ':' + name.lexically_relative(*name.begin()).string()] =
                bytes;
        }
    }
    EXPECT_EQ(found["rank0:metrics/loss"], "1700000001000 2.5 1\n1700000002000 nan 2\n");
    EXPECT_EQ(found["node-node1:metrics/gpu.0.util"], "1700000004000 0.5 4\n");
    EXPECT_EQ(found["rank1:params/world_size"], "2");
    EXPECT_NE(found["rank0:meta.yaml"].find("\nrun_name: \"a <b> & \\\"c\\\" rank0\"\n"), std::string::npos)
        << found["rank0:meta.yaml"];
    EXPECT_TRUE(found.contains("rank0:artifacts/job.yaml"));
}

TEST_F(RunExportTest, AFolderThatHoldsFilesIsLeftAlone) {
    add_metrics();
    const fs::path folder = folder_ / "tb";
    fs::create_directory(folder);
    ASSERT_TRUE(written(ExportFormat::TensorBoard, folder)) << "an empty one is taken";
    const auto again = written(ExportFormat::TensorBoard, folder, true);
    ASSERT_FALSE(again);
    EXPECT_EQ(again.failure().code.text(), "file-exists");
    EXPECT_EQ(files(), 1U) << "nothing beside it";
}

TEST_F(RunExportTest, AFileThatExistsStaysWithoutForce) {
    add_metrics();
    const fs::path file = folder_ / "out.csv";
    test::write_text(file, "mine");
    const auto refused = written(ExportFormat::Csv, file);
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.failure().code.text(), "file-exists");
    EXPECT_EQ(read_file(file), "mine");
    EXPECT_TRUE(written(ExportFormat::Csv, file, true));
    EXPECT_TRUE(read_file(file)->starts_with("t_us,"));
    EXPECT_EQ(files(), 1U);
}

TEST_F(RunExportTest, ACancelledExportLeavesNothing) {
    add_metrics();
    std::stop_source stop;
    stop.request_stop();
    for (const auto format :
         {ExportFormat::Events, ExportFormat::Csv, ExportFormat::Telemetry, ExportFormat::TensorBoard,
          ExportFormat::Mlflow, ExportFormat::Html, ExportFormat::Prometheus}) {
        const auto cancelled =
            export_run(*store_, id_, {.format = format, .path = folder_ / "out"}, {}, stop.get_token());
        ASSERT_FALSE(cancelled);
        EXPECT_EQ(cancelled.failure().code.text(), "cancelled");
    }
    EXPECT_EQ(files(), 0U);
}

TEST_F(RunExportTest, AFolderThatDoesNotExistIsNamed) {
    const auto failed = written(ExportFormat::Csv, folder_ / "none" / "out.csv");
    ASSERT_FALSE(failed);
    EXPECT_EQ(failed.failure().code.text(), "cannot-write");
    EXPECT_NE(failed.failure().where.find("none/out.csv"), std::string::npos);
    EXPECT_FALSE(export_run(*store_, "no-such-run", {.path = folder_ / "out"}));
}

TEST_F(RunExportTest, TheReportShowsTheRunAndNoSecret) {
    add_metrics();
    Verdict verdict;
    verdict.id = "rank-hang";
    verdict.title = "Rank 1 on node2 does not enter <AllReduce>.";
    verdict.confidence = 0.9;
    verdict.evidence = {{"log/rank1", 17, std::string("password=") + kToken}};
    verdict.fix = {"Run `nvidia-smi` on node2."};
    add(verdict, "", -1, 5);
    ExitEvent exit;
    exit.code = 1;
    exit.last_lines = {"Traceback <module>", "RuntimeError: boom"};
    add(exit, "node2", 1, 6);
    EndEvent end;
    end.outcome = Outcome::Failed;
    end.exit_code = 1;
    end.detail = "Rank 1 on node2 exited with code 1.";
    add(end, "", -1, 7);
    ASSERT_TRUE(store_->finish_run(id_, kStart + 7'000'000, end));

    const std::string page = text_of(ExportFormat::Html);
    EXPECT_EQ(page.find(kToken), std::string::npos);
    EXPECT_EQ(page.find("<script"), std::string::npos);
    EXPECT_EQ(page.find("http"), std::string::npos) << "nothing comes from elsewhere";
    EXPECT_NE(page.find("<title>a &lt;b&gt; &amp; &quot;c&quot; – Rankscope</title>"), std::string::npos);
    EXPECT_NE(page.find("does not enter &lt;AllReduce&gt;."), std::string::npos);
    EXPECT_NE(page.find("log/rank1:17: password=[redacted]"), std::string::npos);
    EXPECT_NE(page.find("RuntimeError: boom"), std::string::npos);
    EXPECT_NE(page.find("<circle class=\"d0\""), std::string::npos);
    EXPECT_NE(page.find("aria-label=\"loss\""), std::string::npos);
    EXPECT_NE(page.find("Not drawn: 1 values that are not a number or infinite."), std::string::npos);
    EXPECT_NE(page.find("exit status 1"), std::string::npos);
    EXPECT_NE(page.find("gpu.0.util"), std::string::npos);
}

TEST_F(RunExportTest, AnEmptyRunHasAReport) {
    const std::string page = text_of(ExportFormat::Html);
    EXPECT_NE(page.find("The ranks reported no metrics."), std::string::npos);
    EXPECT_EQ(text_of(ExportFormat::Csv), "t_us,seconds,node,rank,step,epoch\r\n");
}

TEST_F(RunExportTest, LastValuesForPrometheus) {
    add_metrics();
    const std::string text = text_of(ExportFormat::Prometheus);
    EXPECT_NE(text.find("rankscope_run_active{run=\"20261120-120000-abcdef\"} 1\n"), std::string::npos);
    EXPECT_NE(text.find(R"(rank="0",metric="loss"} NaN)"), std::string::npos);
    EXPECT_NE(text.find(R"(rank="1",metric="loss"} 0.1)"), std::string::npos);
    EXPECT_NE(text.find(R"(metric="odd, \"name\""} 1)"), std::string::npos);
    EXPECT_NE(text.find(R"(node="node1",key="gpu.0.util"} 0.5)"), std::string::npos);
    EXPECT_EQ(text.find("rankscope_verdict_confidence"), std::string::npos) << "no family without a value";
    // Every family has its two lines once.
    for (std::size_t at = text.find("# TYPE "); at != std::string::npos; at = text.find("# TYPE ", at + 1)) {
        const std::string line = text.substr(at, text.find('\n', at) - at);
        EXPECT_EQ(text.find(line, at + 1), std::string::npos) << line;
    }
}

// One report with so many metrics.
MetricEvent many_metrics(int count) {
    MetricEvent metric{1, -1, {}, {}};
    for (int i = 0; i < count; ++i) {
        metric.values.emplace_back("m" + std::to_string(i), i);
    }
    return metric;
}

TEST_F(RunExportTest, LabelsOfPrometheusAreText) {
    add(MetricEvent{1,
                    -1,
                    {{"a\"b\\c\nd\x1b[2J\xff\xc2\x9b"
                      "e",
                      1}},
                    {}},
        "node1", 0, 1);
    EXPECT_NE(text_of(ExportFormat::Prometheus).find("metric=\"a\\\"b\\\\c\\nd [2J\xef\xbf\xbd e\""),
              std::string::npos);
}

TEST_F(RunExportTest, TheReportShowsNoSecretOfACommand) {
    RunRecord record = *store_->run(id_);
    record.run_id = id_ = "second";
    record.summary = "train.py --api-key failed with Zq7xK2pW9vT4";
    record.job_yaml =
        "name: x\ncommand:\n- train.py\n- --api-key\n- Zq7xK2pW9vT4\nenv: {MY_PASSWORD: two words}\n";
    record.plan.ranks[0].env["MY_PASSWORD"] = "two words";
    ASSERT_TRUE(store_->create_run(record));
    const std::string html = text_of(ExportFormat::Html);
    EXPECT_EQ(html.find("Zq7xK2pW9vT4"), std::string::npos)
        << "what the job shows is hidden above it as well";
    EXPECT_EQ(html.find("two words"), std::string::npos);
    const fs::path folder = folder_ / "tb";
    ASSERT_TRUE(written(ExportFormat::TensorBoard, folder));
    for (const auto& entry : fs::recursive_directory_iterator(folder)) {
        if (entry.is_regular_file()) {
            EXPECT_EQ(read_file(entry.path())->find("Zq7xK2pW9vT4"), std::string::npos) << entry.path();
        }
    }
}

TEST_F(RunExportTest, NoNameIsMarkupOfTheReport) {
    const std::string attack = "\"'><script>alert(1)</script><img src=x onerror=alert(1)>&amp;";
    RunRecord record = *store_->run(id_);
    record.run_id = id_ = "third";
    record.name = record.summary = record.nodes = attack;
    record.job_yaml = "name: x\ncommand: ['" + std::string("<script>alert(1)</script>") + "']\n";
    record.plan.nodes[0].node = record.plan.ranks[0].node = attack;
    record.plan.ranks[0].env[attack] = attack;
    ASSERT_TRUE(store_->create_run(record));
    add(MetricEvent{1, 1, {{attack, 1}, {"loss", 2}}, {}}, attack, 0, 1);
    add(SampleEvent{{{attack, 0.5}}}, attack, -1, 2);
    ExitEvent exit;
    exit.code = 1;
    exit.last_lines = {attack};
    add(exit, attack, 0, 3);
    Verdict verdict;
    verdict.id = "rank-hang";
    verdict.title = attack;
    verdict.evidence = {{attack, 1, attack}};
    verdict.fix = {attack};
    add(verdict, "", -1, 4);
    const std::string page = text_of(ExportFormat::Html);
    for (const char* markup : {"<script", "<img", "onerror=alert(1)>"}) {
        EXPECT_EQ(page.find(markup), std::string::npos) << markup;
    }
    EXPECT_NE(page.find("&lt;script&gt;"), std::string::npos);
}

TEST_F(RunExportTest, NoNameLeadsOutOfTheFolder) {
    for (const char* node : {"../../up", "/abs", "..", ".", "a/../../b"}) {
        add(SampleEvent{{{"../../key", 0.5}}}, node, -1, 1);
        add(MetricEvent{1, 1, {{"../../metric", 1}}, {}}, node, 0, 1);
    }
    const std::size_t before = files();
    const fs::path folder = folder_ / "deep" / "tb";
    fs::create_directories(folder.parent_path());
    ASSERT_TRUE(written(ExportFormat::TensorBoard, folder));
    EXPECT_EQ(files(), before + 1);
    EXPECT_EQ(std::distance(fs::directory_iterator(folder_ / "deep"), fs::directory_iterator()), 1);
    for (const auto& entry : fs::recursive_directory_iterator(folder)) {
        EXPECT_FALSE(entry.is_symlink());
    }
}

TEST_F(RunExportTest, AllMetricsOfSixHundredAreColumns) {
    add(many_metrics(600), "node1", 0, 1);
    const std::string csv = text_of(ExportFormat::Csv);
    EXPECT_NE(csv.find(",m598,m599\r\n"), std::string::npos);
    EXPECT_NE(csv.find(",598,599\r\n"), std::string::npos);
}

TEST_F(RunExportTest, ThousandsOfMetricsHaveARowForEachValue) {
    add(many_metrics(2500), "node1", 0, 1);
    add(MetricEvent{2, -1, {{"m2499", std::numeric_limits<double>::infinity()}}, {}}, "node1", 0, 2);
    const std::string csv = text_of(ExportFormat::Csv);
    EXPECT_TRUE(csv.starts_with("t_us,seconds,node,rank,step,epoch,metric,value\r\n"));
    EXPECT_EQ(std::count(csv.begin(), csv.end(), '\n'), 1 + 2500 + 1);
    EXPECT_NE(csv.find(",1,,m2499,2499\r\n"), std::string::npos);
    EXPECT_NE(csv.find(",2,,m2499,inf\r\n"), std::string::npos);
}

TEST_F(RunExportTest, TheReportSaysHowManyMetricsItDoesNotDraw) {
    add(many_metrics(60), "node1", 0, 1);
    const std::string page = text_of(ExportFormat::Html);
    EXPECT_NE(page.find("12 further metrics are not drawn."), std::string::npos);
}

TEST_F(RunExportTest, LastValuesSayHowManyAreLeftOut) {
    add(many_metrics(600), "node1", 0, 1);
    const std::string text = text_of(ExportFormat::Prometheus);
    EXPECT_NE(text.find("\n# Left out: 88 values with names beyond the first 512."), std::string::npos);
}

TEST_F(RunExportTest, FilesAreReadableAsTheUserWants) {
    const mode_t before = ::umask(022);
    EXPECT_TRUE(written(ExportFormat::Csv, folder_ / "out.csv"));
    ::umask(before);
    EXPECT_EQ(fs::status(folder_ / "out.csv").permissions(), static_cast<fs::perms>(0644));
}

TEST(CurveBinsTest, ManyRanksAreOneCurveWithItsRange) {
    constexpr int kRanks = 1024;
    constexpr int kSteps = 2000;
    CurveBins bins(0, kRanks);
    const auto each = [&](auto&& use) {
        for (int step = 0; step < kSteps; ++step) {
            for (int rank = 0; rank < kRanks; rank += 64) {
                use(make_event(MetricEvent{step, -1, {{"loss", step + rank * 1.0}, {"steps", kSteps}}, {}}, 1,
                               "n", rank));
            }
        }
    };
    each([&](const Event& event) { bins.measure(event); });
    each([&](const Event& event) { bins.take(event); });
    const auto metrics = bins.metrics();
    ASSERT_EQ(metrics.size(), 1U) << "totals have no curve";
    ASSERT_EQ(metrics[0].curves.size(), 1U);
    EXPECT_EQ(metrics[0].curves[0].rank, -1);
    EXPECT_EQ(metrics[0].curves[0].points.size(), CurveBins::kBins);
    EXPECT_EQ(metrics[0].curves[0].points.front().least, 0);
    EXPECT_EQ(metrics[0].curves[0].points.back().most, kSteps - 1 + 960);
    EXPECT_NE(svg_plot(metrics[0], "step").find("<polygon class=\"band\""), std::string::npos);
}

TEST(SvgPlotTest, TicksAreRoundNumbers) {
    EXPECT_EQ(nice_ticks(0, 10, 5), (std::vector<double>{0, 2, 4, 6, 8, 10}));
    EXPECT_EQ(nice_ticks(-0.1, 0.1, 2), (std::vector<double>{-0.1, 0, 0.1}));
    EXPECT_TRUE(nice_ticks(1, 1, 5).empty());
    EXPECT_TRUE(nice_ticks(0, std::numeric_limits<double>::infinity(), 5).empty());
}

TEST(SvgPlotTest, OneValueIsDrawn) {
    const BinnedMetric metric{"loss", true, {{0, {{5, 1, 1, 1}}}}, 0};
    EXPECT_NE(svg_plot(metric, "step").find("<circle"), std::string::npos);
    EXPECT_EQ(svg_plot({"loss", true, {}, 0}, "step"), "");
}

}  // namespace
}  // namespace rankscope
