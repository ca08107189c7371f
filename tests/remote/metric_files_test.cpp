// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include "support/event_writer.h"
#include "support/wandb_writer.h"

#include <base/number_text.h>
#include <remote/observe/metric_files/file_format.h>
#include <remote/observe/metric_lines/series_merge.h>
#include <remote/observe/tensorboard/tag_metrics.h>

#include <gtest/gtest.h>

#include <cmath>

namespace rankscope::metric_files {
namespace {

std::string said(const std::vector<Scalars>& all) {
    std::string text;
    for (const auto& one : all) {
        text += std::to_string(one.step) + (one.of_epoch ? "e" : "");
        text += one.epoch ? " epoch " + fixed_text(*one.epoch, 6).substr(0, 3) : "";
        for (const auto& [name, value] : one.values) {
            text += ' ' + name + '=' + (std::isnan(value) ? "nan" : fixed_text(value, 6).substr(0, 5));
        }
        text += '\n';
    }
    return text;
}

// In pieces of every size the same.
std::string read(const std::string& path, const std::string& bytes, ReadState expected = ReadState::Good) {
    std::string first;
    for (const std::size_t piece : {bytes.size() + 1, std::size_t{1}, std::size_t{7}}) {
        auto file = MetricFile::of(path);
        if (!file) {
            return "no log";
        }
        std::vector<Scalars> all;
        ReadState state = ReadState::Good;
        for (std::size_t at = 0; at < bytes.size() && state == ReadState::Good; at += piece) {
            state = file->feed(std::string_view(bytes).substr(at, piece), all);
        }
        EXPECT_EQ(state, expected) << path;
        first = piece > bytes.size() ? said(all) : first;
        EXPECT_EQ(said(all), first) << path << " in pieces of " << piece;
    }
    return first;
}

TEST(MetricFile, TablesOfCsvLoggers) {
    EXPECT_EQ(read("logs/version_0/metrics.csv",
                   "epoch,step,train_loss,val_loss\r\n0,49,0.5,\r\n0,99,0.4,\r\n0,99,,0.7\r\n"),
              "49 epoch 0.0 train_loss=0.500\n99 epoch 0.0 train_loss=0.400\n99 epoch 0.0 val_loss=0.700\n");
    EXPECT_EQ(
        read("runs/results.csv",
             "                  epoch,   time,  train/box_loss,  metrics/mAP50(B)\n 1, 3.2, 1.5, 0.25\n"),
        "1e epoch 1.0 time=3.200 train/box_loss=1.500 metrics/mAP50(B)=0.250\n");
    EXPECT_EQ(read("progress.csv",
                   "rollout/ep_rew_mean,time/iterations,time/total_timesteps\n21.5,1,2048\n,2,4096\n"),
              "2048 rollout/ep_rew_mean=21.50 time/iterations=1.000\n");
    EXPECT_EQ(read("a.tsv", "step\tloss\tname\n1\tnan\ta\n2\t0.5\tb\n"), "1 loss=nan\n2 loss=0.500\n");
}

TEST(MetricFile, WhatIsNoLogIsForeign) {
    EXPECT_EQ(read("predictions.csv", "id,label,score\n1,2,0.5\n", ReadState::Foreign), "");
    EXPECT_EQ(read("iris.csv", "5.1,3.5,1.4\n4.9,3.0,1.4\n", ReadState::Foreign), "");
    EXPECT_EQ(read("config.json", "{\n  \"lr\": 0.1\n}\n", ReadState::Foreign), "");
    EXPECT_EQ(read("list.jsonl", "[1, 2]\n", ReadState::Foreign), "");
    EXPECT_EQ(read("texts.jsonl", "{\"prompt\": \"a\", \"score\": 1}\n"), "");
    EXPECT_EQ(read("model.pt", "x"), "no log");
    EXPECT_EQ(read("metrics/loss", "1 2 3\n"), "no log") << "no folder of a run";
}

TEST(MetricFile, JsonLines) {
    EXPECT_EQ(read("vis_data/scalars.json",
                   "{\"lr\": 0.1, \"loss\": 2.5, \"epoch\": 1, \"iter\": 10, \"step\": 10}\n"
                   "{\"step\": 20, \"train\": {\"loss\": NaN, \"done\": true}, \"at\": [1]}\n"),
              "10 epoch 1.0 loss=2.500 lr=0.100\n20 train/loss=nan\n");
    EXPECT_EQ(read("metrics.json",
                   "{\"iteration\": 19, \"total_loss\": 1.5}\n{\"iteration\": 39, \"total_loss\": 1.2"),
              "19 total_loss=1.500\n");
}

TEST(MetricFile, MlflowHasAFileForEachName) {
    const std::string run = "mlruns/1/0123456789abcdef0123456789abcdef";
    EXPECT_EQ(read(run + "/metrics/train/loss", "1700000000123 0.5 0\n1700000000999 nan 1\n"),
              "0 train/loss=0.500\n1 train/loss=nan\n");
    EXPECT_EQ(read(run + "/metrics/x", "hello world\n", ReadState::Foreign), "");
    EXPECT_EQ(MetricFile::of(run + "/metrics/x")->log_folder(), run);
}

TEST(MetricFile, WandbsLog) {
    test::WandbWriter writer;
    writer.log(0, {{"loss", "1"}, {"name", "\"x\""}, {"bad", "NaN"}});
    writer.log(1, {{"loss", "0.5"}, {"_runtime", "3.5"}, {"_timestamp", "1.7e9"}});
    writer.other(100'000);
    writer.log(2, {{"loss", "0.25"}});
    EXPECT_EQ(read("wandb/offline-run-1/run-a.wandb", writer.bytes()),
              "0 loss=1.000 bad=nan\n1 loss=0.500\n2 loss=0.250\n");
    std::string damaged = writer.bytes();
    damaged[20] ^= 1;
    EXPECT_EQ(read("run-a.wandb", damaged, ReadState::Damaged), "");
    EXPECT_EQ(read("run-a.wandb", "something else", ReadState::Foreign), "");
}

TEST(MetricFile, AStepOfTheProgramsGoesBeforeWandbsOwnCount) {
    test::WandbWriter writer;
    writer.log(0, {{"loss", "1"}, {"trainer/global_step", "49"}, {"epoch", "0"}});
    writer.log(1, {{"val_loss", "2"}});
    writer.log(2, {{"loss", "0.5"}, {"trainer/global_step", "99"}});
    EXPECT_EQ(read("run-a.wandb", writer.bytes()),
              "49 epoch 0.0 loss=1.000\n49 val_loss=2.000\n99 loss=0.500\n");
}

TEST(MetricFile, ATableThatIsWrittenAnewGoesOnWithItsNextRow) {
    auto file = *MetricFile::of("metrics.csv");
    std::vector<Scalars> all;
    EXPECT_TRUE(file.may_be_rewritten());
    EXPECT_EQ(file.feed("step,loss\n1,0.5\n2,0.4\n", all), ReadState::Good);
    file.begin_again();
    EXPECT_EQ(file.feed("step,loss,val_loss\n1,0.5,\n2,0.4,\n2,,0.9\n", all), ReadState::Good);
    EXPECT_EQ(said(all), "1 loss=0.500\n2 loss=0.400\n2 val_loss=0.900\n");
}

/// A rank's lines and files, one after the other, as the events of a run would have them.
struct Merge {
    metric_lines::SeriesMerge merge;
    std::string events;
    void line(std::int64_t step, double value) {
        MetricsLine one;
        one.step = step;
        one.values = {{"loss", value}};
        merge.take_lines(one);
        events += one.values.empty() ? "" : "line@" + std::to_string(step) + ' ';
    }
    void file(std::int64_t step, double value) {
        MetricsLine one;
        one.step = step;
        one.values = {{"loss", value}};
        for (const auto& part : merge.take_file(one)) {
            events += "file@" + std::to_string(step) +
                      (part.voids_after ? " voids>" + std::to_string(*part.voids_after) : "") + ' ';
        }
    }
};

TEST(SeriesMerge, AFileThatIsAheadLeavesNothingToTheLines) {
    Merge run;
    run.file(1, 0.5);
    run.line(1, 0.5);
    run.file(2, 0.4);
    run.line(2, 0.4);
    run.line(3, 0.4);
    EXPECT_EQ(run.events, "file@1 file@2 ") << "the last line counts from 1 what the file counts from 0";
}

TEST(SeriesMerge, AFileThatComesLateReplacesTheLines) {
    Merge run;
    run.line(10, 0.51);
    run.line(20, 0.41);
    run.file(5, 0.6);
    run.file(10, 0.512);
    run.file(20, 0.412);
    run.line(30, 0.31);
    run.file(25, 0.35);
    EXPECT_EQ(run.events, "line@10 line@20 file@5 voids>-1 file@10 file@20 line@30 file@25 voids>20 ");
}

TEST(SeriesMerge, OtherValuesAtTheSameStepsAreAnotherSeries) {
    Merge run;
    run.line(10, 0.51);
    run.line(20, 0.41);
    using Relation = metric_lines::SeriesMerge::Relation;
    EXPECT_EQ(run.merge.relation("loss", {{10, 0.5123}}), Relation::Same);
    EXPECT_EQ(run.merge.relation("loss", {{9, 0.5123}}), Relation::Same);
    EXPECT_EQ(run.merge.relation("loss", {{10, 1.5}, {20, 1.4}}), Relation::Different);
    EXPECT_EQ(run.merge.relation("loss", {{500, 1.5}}), Relation::Unknown);
    EXPECT_EQ(run.merge.relation("acc1", {{10, 1.5}}), Relation::None);
}

Scalars of(std::int64_t step, const std::string& tag, double value, bool of_epoch = false) {
    Scalars one;
    one.step = step;
    one.values = {{tag, value}};
    one.of_epoch = of_epoch;
    return one;
}

std::string named(const std::vector<MetricsLine>& lines) {
    std::string text;
    for (const auto& line : lines) {
        for (const auto& [name, value] : line.values) {
            text += name + '@' + std::to_string(line.step.value_or(-1)) + ' ';
        }
    }
    return text;
}

TEST(TagMetrics, ASecondLogWithTheSameValuesIsNotRead) {
    tensorboard::TagMetrics tags;
    EXPECT_EQ(named(tags.read({"", 1}, {of(1, "loss", 0.5F)})), "loss@1 ");
    EXPECT_EQ(named(tags.read({"", 1, "metrics"}, {of(1, "loss", 0.5)})), "");
    EXPECT_EQ(named(tags.read({"", 1, "other"}, {of(1, "loss", 0.7)})), "other/loss@1 ");
}

TEST(TagMetrics, AMeanOfTheEpochIsNotTheLossOfTheSteps) {
    Merge run;
    for (int step = 1; step <= 100; ++step) {
        run.line(step, 1.0 / step);
    }
    tensorboard::TagMetrics tags;
    EXPECT_EQ(named(tags.read({"", 0, "summary"},
                              {of(0, "train_loss", 0.01, true), of(0, "eval_top1", 55, true)}, run.merge)),
              "train_loss@100 val_acc1@100 ");
}

TEST(TagMetrics, RowsOfEpochsStandWhereLinesEndedThem) {
    Merge run;
    for (int step = 1; step <= 40; ++step) {
        MetricsLine line;
        line.step = step;
        line.epoch = step <= 20 ? 1 : 2;
        line.values = {{"margin", 1}};
        run.merge.take_lines(line);
    }
    tensorboard::TagMetrics tags;
    EXPECT_EQ(named(tags.read({"", 0, "a"}, {of(0, "train_loss", 1, true), of(1, "train_loss", 2, true)},
                              run.merge)),
              "loss@20 loss@40 ");
    Merge without_epochs;
    without_epochs.line(40, 1);
    tensorboard::TagMetrics others;
    EXPECT_EQ(
        named(others.read({"", 0, "a"}, {of(0, "x", 1, true), of(1, "x", 2, true)}, without_epochs.merge)),
        "x@20 x@40 ");
}

TEST(TagMetrics, ARecordWhoseStepFallsBackIsOfTheValidation) {
    tensorboard::TagMetrics tags;
    EXPECT_EQ(named(tags.read({"", 0, "scalars"}, {of(10, "loss", 1), of(20, "loss", 1), of(1, "accuracy", 1),
                                                   of(30, "loss", 1)})),
              "loss@10 loss@20 val_acc1@20 loss@30 ");
}

TEST(TagMetrics, ANameBehindAGroupMeetsTheLineWithTheSameValue) {
    Merge run;
    MetricsLine line;
    line.step = 20;
    line.values = {{"train_runtime", 3.5}};
    run.merge.take_lines(line);
    tensorboard::TagMetrics tags;
    EXPECT_EQ(named(tags.read({"", 1}, {of(20, "train/train_runtime", 3.5001)}, run.merge)),
              "train_runtime@20 ");
    EXPECT_EQ(named(tags.read({"", 1}, {of(20, "misc/margin", 3.5001)}, run.merge)), "misc/margin@20 ");
}

}  // namespace
}  // namespace rankscope::metric_files
