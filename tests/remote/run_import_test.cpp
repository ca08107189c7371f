// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include "support/events.h"
#include "support/plans.h"
#include "support/temporary_folder.h"

#include <base/files.h>
#include <remote/desk/archive/export/run_export.h>
#include <remote/desk/archive/import/run_import.h>
#include <remote/desk/runs/run/run_state.h>
#include <remote/observe/tensorboard/event_writer.h>

#include <gtest/gtest.h>

#include <map>

namespace rankscope {
namespace {

namespace fs = std::filesystem;

class RunImportTest : public ::testing::Test {
protected:
    RunImportTest() : store_(*RunStore::open(folder_ / "runs.sqlite")) {
        fs::create_directory(folder_ / "in");
    }

    std::vector<std::string> imported(const fs::path& path) {
        auto ids = import_runs(*store_, path);
        EXPECT_TRUE(ids) << (ids ? "" : ids.failure().what);
        return ids ? *ids : std::vector<std::string>();
    }
    RunState state_of(const std::string& id) {
        RunState state;
        state.set_plan(store_->run(id)->plan);
        EXPECT_TRUE(store_->replay(id, [&](const Event& event) {
            state.apply(event);
            return true;
        }));
        return state;
    }
    void write_events(const std::string& place, const std::string& host, double start,
                      const std::vector<std::pair<std::int64_t, std::pair<std::string, double>>>& values) {
        std::string bytes = tensorboard::version_record(start);
        double at = start;
        for (const auto& [step, value] : values) {
            bytes += tensorboard::scalars_record(at += 0.25, step, {value});
        }
        fs::create_directories(folder_ / "in" / place);
        test::write_text(folder_ / "in" / place / ("events.out.tfevents.1700000000." + host + ".4711.0"),
                         bytes);
    }

    test::TemporaryFolder folder_;
    std::shared_ptr<RunStore> store_;
};

TEST_F(RunImportTest, FoldersOfRanksBecomeOneRun) {
    write_events("exp/rank0", "gpu-01.example.org", 1.7e9,
                 {{1, {"Loss/train", 2.5}}, {1, {"lr", 0.5}}, {2, {"Loss/train", 2}}});
    write_events("exp/rank1", "gpu-02", 1.7e9 + 1, {{1, {"Loss/train", 3}}});
    const auto ids = imported(folder_ / "in");
    ASSERT_EQ(ids.size(), 1U);
    const auto run = store_->run(ids[0]);
    EXPECT_EQ(run->name, "in/exp");
    EXPECT_EQ(run->world_size, 2);
    EXPECT_EQ(run->nodes, "gpu-01.example.org,gpu-02");
    EXPECT_EQ(run->outcome, Outcome::Done);
    EXPECT_EQ(run->started_us, 1'700'000'000'250'000);
    const RunState state = state_of(ids[0]);
    EXPECT_EQ(state.ranks[0].loss, 2);
    EXPECT_EQ(state.ranks[0].step, 2);
    EXPECT_EQ(state.ranks[1].loss, 3);
    EXPECT_EQ(state.ranks[1].phase, RankPhase::Done);
}

TEST_F(RunImportTest, OtherFoldersBecomeRunsOfTheirOwn) {
    write_events("a", "host", 1.7e9, {{1, {"loss", 1}}});
    write_events("b/c", "host", 1.7e9, {{1, {"loss", 2}}});
    const auto ids = imported(folder_ / "in");
    ASSERT_EQ(ids.size(), 2U);
    EXPECT_EQ(store_->run(ids[0])->name, "in/a");
    EXPECT_EQ(store_->run(ids[1])->name, "in/b/c");
    EXPECT_EQ(store_->run(ids[1])->world_size, 1);
}

TEST_F(RunImportTest, ADamagedEventFileIsReadUpToItsDamage) {
    write_events("a", "host", 1.7e9, {{1, {"loss", 1}}, {2, {"loss", 2}}});
    const fs::path file = folder_ / "in" / "a" / "events.out.tfevents.1700000000.host.4711.0";
    fs::resize_file(file, fs::file_size(file) - 3);
    EXPECT_EQ(state_of(imported(folder_ / "in").at(0)).ranks[0].step, 1);
}

TEST_F(RunImportTest, AnExportComesBackAsItWas) {
    RunRecord record;
    record.run_id = "20261120-120000-abcdef";
    record.plan = test::plan_of(1, 2);
    record.started_us = 1'700'000'000'000'000;
    ASSERT_TRUE(store_->create_run(record));
    std::vector<Event> events{
        test::make_event(MetricEvent{4, 1, {{"loss", 0.25}, {"odd.name/x", 8}}, {}}, 1, "node1", 0),
        test::make_event(MetricEvent{4, 1, {{"loss", 0.75}}, {}}, 2, "node1", 1),
        test::make_event(SampleEvent{{{"cpu", 0.5}, {"gpu.0.util", 0.25}}}, 3, "node1", -1)};
    for (auto& event : events) {
        event.t_us = record.started_us + 5'000'000;
    }
    ASSERT_TRUE(store_->append(record.run_id, events));
    ASSERT_TRUE(
        export_run(*store_, record.run_id, {.format = ExportFormat::TensorBoard, .path = folder_ / "tb"}));
    const auto ids = imported(folder_ / "tb");
    ASSERT_EQ(ids.size(), 1U);
    const RunState state = state_of(ids[0]);
    ASSERT_EQ(state.ranks.size(), 2U);
    EXPECT_EQ(state.ranks[0].step, 4);
    EXPECT_EQ(state.ranks[0].epoch, 1);
    EXPECT_EQ(state.ranks[1].loss, 0.75);
    EXPECT_TRUE(state.metrics.find("odd.name/x"));
    EXPECT_EQ(state.ranks[0].node, "node1");
    EXPECT_EQ(state.samples.at("node1").values.at("gpu.0.util").last, 0.25);
    const fs::path report = folder_ / "report.html";
    ASSERT_TRUE(export_run(*store_, ids[0], {.format = ExportFormat::Html, .path = report}));
    EXPECT_EQ(read_file(report).value_or("").find("exit status 0"), std::string::npos) << "it is not known";
}

TEST_F(RunImportTest, TorchrunFoldersBecomeARunWithItsCause) {
    for (const int rank : {0, 1}) {
        const fs::path place = folder_ / "in" / "none_ab12" / "attempt_0" / std::to_string(rank);
        fs::create_directories(place);
        test::write_text(place / "stdout.log",
                         "Epoch [1/2], Step [10/20], Loss: 2.25\nEpoch [1/2], Step [20/20], Loss: 1.75\n");
    }
    test::write_text(
        folder_ / "in" / "none_ab12" / "attempt_0" / "1" / "stderr.log",
        "Traceback (most recent call last):\n"
        "  File \"train.py\", line 7, in <module>\n"
        "    model.cuda()\n"
        "torch.cuda.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB (GPU 0; 79.15 GiB total "
        "capacity; 77.00 GiB already allocated; 1.00 GiB free; 78.00 GiB reserved in total by PyTorch)\n");
    const auto ids = imported(folder_ / "in");
    ASSERT_EQ(ids.size(), 1U);
    const auto run = store_->run(ids[0]);
    EXPECT_EQ(run->world_size, 2);
    EXPECT_EQ(run->outcome, Outcome::Failed);
    EXPECT_GT(run->started_us, 1'700'000'000'000'000) << "the time of the file, where no line has one";
    const RunState state = state_of(ids[0]);
    ASSERT_FALSE(state.diagnoses.empty());
    EXPECT_EQ(state.diagnoses[0].id.text(), "gpu-oom");
    EXPECT_EQ(state.diagnoses[0].rank, 1);
    EXPECT_EQ(state.ranks[0].loss, 1.75);
    EXPECT_EQ(state.ranks[0].step, 20);
    std::map<int, std::string> output;
    EXPECT_TRUE(store_->replay(ids[0], [&](const Event& event) {
        if (const auto* log = event.as<LogEvent>()) {
            output[event.rank] += log->text;
        }
        return true;
    }));
    EXPECT_EQ(output[0], "Epoch [1/2], Step [10/20], Loss: 2.25\nEpoch [1/2], Step [20/20], Loss: 1.75\n");
    EXPECT_NE(output[1].find("OutOfMemoryError"), std::string::npos);
}

TEST_F(RunImportTest, LocalRanksOfSeveralNodesAreNumbered) {
    for (const char* node : {"node-a", "node-b"}) {
        for (const int local : {0, 1}) {
            const fs::path place = folder_ / "in" / node / "none_ab12" / "attempt_0" / std::to_string(local);
            fs::create_directories(place);
            test::write_text(place / "stdout.log",
                             std::string("hello from ") + node + " " + std::to_string(local) + "\n");
        }
    }
    const auto ids = imported(folder_ / "in");
    ASSERT_EQ(ids.size(), 1U);
    EXPECT_EQ(store_->run(ids[0])->world_size, 4);
    std::map<int, std::string> output;
    EXPECT_TRUE(store_->replay(ids[0], [&](const Event& event) {
        if (const auto* log = event.as<LogEvent>()) {
            output[event.rank] += log->text;
        }
        return true;
    }));
    EXPECT_EQ(output[3], "hello from node-b 1\n");
}

TEST_F(RunImportTest, AFolderWithoutLogsNamesWhatWasSkipped) {
    test::write_text(folder_ / "in" / "train.py", "print('no log')\n");
    test::write_text(folder_ / "in" / "picture.png", std::string("\x89PNG\r\n\x1a\n\0\0\0\rIHDR", 16));
    const auto imported = import_runs(*store_, folder_ / "in");
    ASSERT_FALSE(imported);
    EXPECT_NE(imported.failure().what.find("train.py (no log)"), std::string::npos)
        << imported.failure().what;
    EXPECT_NE(imported.failure().what.find("picture.png (no log)"), std::string::npos)
        << imported.failure().what;
}

TEST_F(RunImportTest, WhatCannotBeImportedChangesNothing) {
    EXPECT_EQ(import_runs(*store_, folder_ / "none").failure().code.text(), "bad-file");
    EXPECT_EQ(import_runs(*store_, folder_ / "in").failure().code.text(), "bad-file") << "an empty folder";
    test::write_text(folder_ / "in" / "x.rankscope", "step 1 loss 2\n");
    EXPECT_FALSE(import_runs(*store_, folder_ / "in" / "x.rankscope")) << "a damaged bundle is no log";
    write_events("a", "host", 1.7e9, {{1, {"loss", 1}}});
    std::stop_source stop;
    stop.request_stop();
    EXPECT_EQ(import_runs(*store_, folder_ / "in", {}, stop.get_token()).failure().code.text(), "cancelled");
    test::write_text(folder_ / "log.txt", "step 1 loss 2\n");
    EXPECT_EQ(import_runs(*store_, folder_ / "log.txt", {}, stop.get_token()).failure().code.text(),
              "cancelled");
    EXPECT_TRUE(store_->runs()->empty());
}

}  // namespace
}  // namespace rankscope
