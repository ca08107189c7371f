// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

// `rankscope-worker distribuuuu` as real processes.

#include <engine/distribuuuu/configuration.h>
#include <engine/error.h>

#include <gtest/gtest.h>
#include <tests/engine/temporary_folder.h>
#include <tests/engine/worker_process.h>

#include <algorithm>
#include <filesystem>
#include <regex>
#include <sstream>

namespace rankscope::engine::distribuuuu {
namespace {

using namespace std::chrono_literals;
using test::read_file;
using test::TemporaryFolder;
using test::WorkerProcess;

constexpr auto kLong = 240s;

Settings settings_with(const std::vector<std::string>& overrides) {
    FlatValues values = default_values();
    merge(values, read_overrides(overrides), "test");
    return settings_of(values);
}

TEST(TrainConfigOf, TheDefaultsMeanWhatDistribuuuuDoes) {
    const config::TrainConfig config = train_config_of(settings_with({"MODEL.DUMMY_INPUT", "True"}), false);
    EXPECT_EQ(config.model, "resnet18");
    EXPECT_EQ(config.classes, 1000);
    EXPECT_EQ(config.dataset.name, "dummy");
    EXPECT_EQ(config.dataset.image_size, 224);
    EXPECT_EQ(config.epochs, 100);
    EXPECT_EQ(config.batch_size, 32);
    EXPECT_EQ(config.validation.batch_size, 200);
    EXPECT_TRUE(config.optimizer.nesterov);
    EXPECT_EQ(config.optimizer.weight_decay, 5e-5);
    EXPECT_EQ(config.schedule.name, "cos");
    EXPECT_EQ(config.schedule.warmup->epochs, 5);
    EXPECT_TRUE(config.drop_short_batch);
    EXPECT_FALSE(config.drop_last);
    EXPECT_FALSE(config.validation.pad);
    EXPECT_FALSE(config.optimizer.no_decay_norm_bias);
}

TEST(TrainConfigOf, PicturesComeFromTheFolderOfTraining) {
    const auto& sets = config::known_datasets();
    if (std::find(sets.begin(), sets.end(), "image-folder") == sets.end()) {
        GTEST_SKIP() << "image folders are not read yet";
    }
    const config::DatasetConfig dataset = train_config_of(settings_with({}), false).dataset;
    EXPECT_EQ(dataset.name, "image-folder");
    EXPECT_EQ(dataset.root, "./data/ILSVRC/");
    EXPECT_EQ(dataset.resize, 256);
    EXPECT_EQ(dataset.image_size, 224);
    EXPECT_TRUE(dataset.augment.random_resized_crop.has_value());
    EXPECT_EQ(dataset.workers, 4);
}

TEST(TrainConfigOf, StepsWithoutTheirLeadingZeroAreMilestones) {
    const auto config =
        train_config_of(settings_with({"MODEL.DUMMY_INPUT", "True", "OPTIM.LR_POLICY", "steps", "OPTIM.STEPS",
                                       "[0, 30, 60]", "OPTIM.LR_MULT", "0.2", "OPTIM.WARMUP_EPOCHS", "0"}),
                        true);
    EXPECT_EQ(config.schedule.milestones, (std::vector<double>{30, 60}));
    EXPECT_EQ(config.schedule.gamma, 0.2);
    EXPECT_FALSE(config.schedule.warmup.has_value());
    EXPECT_TRUE(config.validation.pad);
}

TEST(TrainConfigOf, NetworksOfTheTutorialsConfigurationsAreKnown) {
    for (const std::string name :
         {"resnet18", "resnet34", "resnet50", "resnet101", "resnet152", "resnext50_32x4d", "resnext101_32x8d",
          "densenet201", "efficientnet_b0", "regnetx_160", "regnety_160", "regnety_320", "botnet50"}) {
        EXPECT_EQ(train_config_of(settings_with({"MODEL.ARCH", name}), false).model, name);
    }
}

TEST(TrainConfigOf, WhatCannotBeTrainedIsSaid) {
    const auto message = [](const std::vector<std::string>& overrides) -> std::string {
        try {
            train_config_of(settings_with(overrides), false);
        } catch (const std::runtime_error& error) {
            return error.what();
        }
        return "";
    };
    EXPECT_NE(message({"MODEL.ARCH", "alexnet"}).find("resnet18, resnet34"), std::string::npos);
    EXPECT_NE(message({"MODEL.ARCH", "resnet81"}).find("did you mean"), std::string::npos);
    EXPECT_NE(message({"MODEL.PRETRAINED", "True"}).find("MODEL.WEIGHTS"), std::string::npos);
}

/// Small images, so that an epoch takes a second.
std::vector<std::string> small_run(const std::filesystem::path& out) {
    return {"MODEL.DUMMY_INPUT", "True",      "TRAIN.IM_SIZE",    "16", "OPTIM.MAX_EPOCH", "1",
            "TRAIN.BATCH_SIZE",  "100",       "TRAIN.PRINT_FREQ", "2",  "TEST.PRINT_FREQ", "2",
            "OUT_DIR",           out.string()};
}

std::vector<WorkerProcess> start(const TemporaryFolder& folder, int world,
                                 const std::vector<std::string>& overrides,
                                 const std::vector<std::string>& options = {}) {
    std::vector<std::string> arguments{"distribuuuu", "--cfg", (folder / "resnet18.yaml").string()};
    arguments.insert(arguments.end(), options.begin(), options.end());
    test::write_file(folder / "resnet18.yaml",
                     "MODEL:\n  ARCH: resnet18\nOUT_DIR: ./resnet18\nRNG_SEED: null\n");
    arguments.insert(arguments.end(), overrides.begin(), overrides.end());
    const std::string port = std::to_string(test::free_port());
    std::vector<WorkerProcess> workers;
    for (int rank = 0; rank < world; ++rank) {
        const std::string number = std::to_string(rank);
        workers.emplace_back(folder.path(), "rank" + number, arguments,
                             std::map<std::string, std::string>{{"RANK", number},
                                                                {"LOCAL_RANK", number},
                                                                {"WORLD_SIZE", std::to_string(world)},
                                                                {"LOCAL_WORLD_SIZE", std::to_string(world)},
                                                                {"MASTER_ADDR", "127.0.0.1"},
                                                                {"MASTER_PORT", port},
                                                                {"RANKSCOPE_TOKEN", "0123456789abcdef"}});
    }
    return workers;
}

/// Lines with their time prefix taken off.
std::vector<std::string> lines_of(const std::string& text) {
    std::vector<std::string> lines;
    std::istringstream in(text);
    const std::regex prefix(R"(^\[\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\] )");
    for (std::string line; std::getline(in, line);) {
        lines.push_back(std::regex_replace(line, prefix, ""));
    }
    return lines;
}

std::size_t count_matching(const std::vector<std::string>& lines, const std::string& pattern) {
    const std::regex shape(pattern);
    return static_cast<std::size_t>(std::count_if(
        lines.begin(), lines.end(), [&](const std::string& line) { return std::regex_match(line, shape); }));
}

TEST(Run, TwoRanksPrintDistribuuuusLinesAndWriteItsFiles) {
    const TemporaryFolder folder;
    const auto out = folder / "out";
    auto workers = start(folder, 2, small_run(out));
    for (WorkerProcess& worker : workers) {
        ASSERT_EQ(worker.wait(kLong), 0) << worker.errors();
    }
    const auto lines = lines_of(workers[0].errors());
    const auto expect_lines = [&](std::size_t count, const char* pattern) {
        EXPECT_EQ(count_matching(lines, pattern), count) << pattern << "\n" << workers[0].errors();
    };
    expect_lines(1, "LOCAL_RANK: 0, RANK: 0");
    expect_lines(1, "            =======  TRAINING  ======= ");
    expect_lines(1, R"(Params\(M\): 11\.690, Model Size\(MB\): 44\.592)");
    expect_lines(1, "CURRENT EPOCH:   1,   LR: 0.0200,   POLICY: cos");
    // Updates 2 and 4 with an estimate; 5 is the run's end.
    expect_lines(
        2, R"(ETA: \d+\.\d\dh TRAIN:  \[1\]\[[24]/5\] \| Time [ \d.()]+ \| Data [ \d.()]+ \| Loss [ \d.()]+ )"
           R"(\| Acc@1 [ \d.()]+ \| Acc@5 [ \d.()]+)");
    expect_lines(1, R"(TRAIN:  \[1\]\[5/5\] \| Time .*)");
    expect_lines(2, R"(VAL:  \[[23]/3\] \| Time .*)");
    expect_lines(1, R"(ACCURACY: TOP1 [\d.]+\(BEST [\d.]+\) \| TOP5 [\d.]+ \| SAVED .*)");
    EXPECT_EQ(lines_of(workers[1].errors()), std::vector<std::string>{"LOCAL_RANK: 1, RANK: 1"});
    EXPECT_EQ(workers[0].series("val_samples"), std::vector<double>{1000});

    const std::string written = read_file(out / "config.yaml");
    EXPECT_NE(written.find("  BATCH_SIZE: 100\n"), std::string::npos) << written;
    std::size_t logs = 0;
    for (const auto& entry : std::filesystem::directory_iterator(out)) {
        if (std::regex_match(entry.path().filename().string(), std::regex(R"(\d+\.\d+\.log)"))) {
            ++logs;
            EXPECT_EQ(read_file(entry.path()), workers[0].errors());
        }
    }
    EXPECT_EQ(logs, 1U);
}

std::vector<std::string> with(std::vector<std::string> overrides, const std::vector<std::string>& more) {
    overrides.insert(overrides.end(), more.begin(), more.end());
    return overrides;
}

/// One rank to its end; its lines.
std::vector<std::string> lines_of_run(const TemporaryFolder& folder,
                                      const std::vector<std::string>& overrides,
                                      const std::vector<std::string>& options = {}) {
    auto workers = start(folder, 1, overrides, options);
    EXPECT_EQ(workers[0].wait(kLong), 0) << workers[0].errors();
    return lines_of(workers[0].errors());
}

TEST(Run, ResumesItsWay) {
    const TemporaryFolder folder;
    const auto out = folder / "out";
    const auto small = with(small_run(out), {"TRAIN.BATCH_SIZE", "250", "RNG_SEED", "3"});
    lines_of_run(folder, small);
    const auto first = out / "checkpoints" / "ckpt_ep_001.pth.tar";
    ASSERT_TRUE(std::filesystem::exists(first));
    EXPECT_TRUE(std::filesystem::exists(out / "best.pth.tar"));

    // AUTO_RESUME: the second epoch follows the first.
    auto lines = lines_of_run(folder, with(small, {"OPTIM.MAX_EPOCH", "2"}));
    EXPECT_EQ(count_matching(lines, "LOADED '.*ckpt_ep_001.pth.tar'"), 1U);
    EXPECT_EQ(count_matching(lines, "CURRENT EPOCH:   1,.*"), 0U);
    EXPECT_EQ(count_matching(lines, "CURRENT EPOCH:   2,.*"), 1U);
    EXPECT_EQ(
        count_matching(lines, "ACCURACY: .* SAVED " + out.string() + "/checkpoints/ckpt_ep_002.pth.tar"), 1U);
    // Names are ordered by number: 1000 comes after 999.
    std::filesystem::rename(first, out / "checkpoints" / "ckpt_ep_999.pth.tar");
    std::filesystem::rename(out / "checkpoints" / "ckpt_ep_002.pth.tar",
                            out / "checkpoints" / "ckpt_ep_1000.pth.tar");
    lines = lines_of_run(folder, with(small, {"OPTIM.MAX_EPOCH", "2"}));
    EXPECT_EQ(count_matching(lines, "LOADED '.*ckpt_ep_1000.pth.tar'"), 1U);

    // MODEL.WEIGHTS without AUTO_RESUME; LOAD_OPT False and a plain state dict begin at the first epoch.
    const auto weights = [&](const std::string& file, const std::string& load_opt) {
        return with(small,
                    {"OUT_DIR", (folder / "other").string(), "TRAIN.AUTO_RESUME", "False", "MODEL.WEIGHTS",
                     (out / file).string(), "TRAIN.LOAD_OPT", load_opt, "OPTIM.MAX_EPOCH", "2"});
    };
    lines = lines_of_run(folder, weights("checkpoints/ckpt_ep_999.pth.tar", "True"));
    EXPECT_EQ(count_matching(lines, "CURRENT EPOCH: .*"), 1U);
    lines = lines_of_run(folder, weights("checkpoints/ckpt_ep_999.pth.tar", "False"));
    EXPECT_EQ(count_matching(lines, "CURRENT EPOCH: .*"), 2U);
    lines = lines_of_run(folder, weights("best.pth.tar", "True"));
    EXPECT_EQ(count_matching(lines, "CURRENT EPOCH: .*"), 2U);
    EXPECT_EQ(count_matching(lines, "LOADED '.*best.pth.tar'"), 1U);
    // test_net.py's way: the same accuracy, no training.
    lines = lines_of_run(folder, weights("best.pth.tar", "True"), {"--test"});
    EXPECT_EQ(count_matching(lines, "CURRENT EPOCH: .*"), 0U);
    EXPECT_EQ(count_matching(lines, ".*TRAINING.*"), 0U);
    EXPECT_EQ(count_matching(lines, R"(VAL:  \[[245]/5\] .*)"), 3U);
    EXPECT_EQ(count_matching(lines, R"(ACCURACY: TOP1 [\d.]+  \|  TOP5 [\d.]+)"), 1U);
    auto missing = start(folder, 1, weights("nowhere.pth", "True"));
    EXPECT_EQ(missing[0].wait(kLong), 2);
    EXPECT_NE(missing[0].errors().find("CHECKPOINT '" + (out / "nowhere.pth").string() + "' NOT FOUND"),
              std::string::npos);
}

TEST(Run, FaultsOfTheCommandLineEndItBeforeAnythingStarts) {
    const TemporaryFolder folder;
    auto workers = start(folder, 1, {"TRAIN.BATCH_SIZ", "3", "OUT_DIR", (folder / "out").string()});
    EXPECT_EQ(workers[0].wait(kLong), 2);
    EXPECT_NE(workers[0].errors().find("did you mean \"TRAIN.BATCH_SIZE\"?"), std::string::npos);
    EXPECT_FALSE(std::filesystem::exists(folder / "out"));
}

}  // namespace
}  // namespace rankscope::engine::distribuuuu
