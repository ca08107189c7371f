// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

// Distribuuuu's configuration and lines: as text; what they start is in worker_test.

#include <engine/distribuuuu/configuration.h>
#include <engine/distribuuuu/lines.h>
#include <engine/distribuuuu/run_log.h>
#include <engine/distribuuuu/slurm_env.h>
#include <engine/error.h>

#include <gtest/gtest.h>
#include <tests/engine/temporary_folder.h>

#include <cmath>
#include <cstdlib>
#include <limits>

#ifdef RANKSCOPE_WITH_METRIC_LINES
#include <remote/observe/metric_lines/line_metrics.h>
#endif

namespace rankscope::engine::distribuuuu {
namespace {

using test::TemporaryFolder;

template <typename F>
std::string message_of(F&& function) {
    try {
        function();
    } catch (const std::runtime_error& error) {
        return error.what();
    }
    return "nothing was thrown";
}

bool contains(const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
}

TEST(PythonValue, LiteralsAsPythonReadsThem) {
    const auto repr_of = [](const std::string& text) {
        const auto value = parse_python_literal(text);
        return value ? type_name(*value) + " " + repr(*value) : "no literal";
    };
    EXPECT_EQ(repr_of("64"), "int 64");
    EXPECT_EQ(repr_of("-9223372036854775808"), "int -9223372036854775808");
    EXPECT_EQ(repr_of("9223372036854775808"), "no literal");
    EXPECT_EQ(repr_of("1_000"), "int 1000");
    EXPECT_EQ(repr_of("0x1F"), "int 31");
    EXPECT_EQ(repr_of("010"), "no literal");
    EXPECT_EQ(repr_of("00"), "int 0");
    EXPECT_EQ(repr_of("0.1"), "float 0.1");
    EXPECT_EQ(repr_of("5e-5"), "float 5e-05");
    EXPECT_EQ(repr_of("1."), "float 1.0");
    EXPECT_EQ(repr_of(".5"), "float 0.5");
    EXPECT_EQ(repr_of("1e400"), "float inf");
    EXPECT_EQ(repr_of("0.0001"), "float 0.0001");
    EXPECT_EQ(repr_of("1e16"), "float 1e+16");
    EXPECT_EQ(repr_of("123456789012345.0"), "float 123456789012345.0");
    EXPECT_EQ(repr_of("True"), "bool True");
    EXPECT_EQ(repr_of("None"), "NoneType None");
    EXPECT_EQ(repr_of("'a\\'b'"), "str \"a'b\"");
    EXPECT_EQ(repr_of("[0, 30, 60]"), "list [0, 30, 60]");
    EXPECT_EQ(repr_of("(0, 1.5,)"), "list [0, 1.5]");
    EXPECT_EQ(repr_of("0,30"), "list [0, 30]");
    EXPECT_EQ(repr_of("[[1], []]"), "list [[1], []]");
    EXPECT_EQ(repr_of("(1)"), "int 1");
    EXPECT_EQ(repr_of("()"), "list []");
    for (const char* text : {"", "resnet18", "./data", "1 2", "[1", "1]", "[,]", "nan", "inf", "0x", "1__0",
                             "'a", "--1", "{1: 2}", "0x-5", "1e", "+", "-True"}) {
        EXPECT_EQ(repr_of(text), "no literal") << text;
    }
    EXPECT_EQ(repr_of(std::string(1000, '[') + std::string(1000, ']')), "no literal");
}

const char* const kDefaults = R"(CFG_DEST: config.yaml
CUDNN:
  BENCHMARK: true
  DETERMINISTIC: false
MODEL:
  ARCH: resnet18
  DUMMY_INPUT: false
  NUM_CLASSES: 1000
  PRETRAINED: false
  SYNCBN: false
  WEIGHTS: null
OPTIM:
  BASE_LR: 0.2
  DAMPENING: 0.0
  LR_MULT: 0.1
  LR_POLICY: cos
  MAX_EPOCH: 100
  MIN_LR: 0.0
  MOMENTUM: 0.9
  NESTEROV: true
  STEPS: []
  WARMUP_EPOCHS: 5
  WARMUP_FACTOR: 0.1
  WEIGHT_DECAY: 5.0e-05
OUT_DIR: ./exp
RNG_SEED: null
TEST:
  BATCH_SIZE: 200
  DATASET: ./data/ILSVRC/
  IM_SIZE: 256
  PRINT_FREQ: 10
  SPLIT: val
TRAIN:
  AUTO_RESUME: true
  BATCH_SIZE: 32
  DATASET: ./data/ILSVRC/
  IM_SIZE: 224
  LOAD_OPT: true
  PIN_MEMORY: true
  PRINT_FREQ: 30
  SPLIT: train
  TOPK: 5
  WORKERS: 4
)";

TEST(Config, TheDumpIsYacsAndReadsBack) {
    EXPECT_EQ(write_yaml(default_values()), kDefaults);
    EXPECT_EQ(read_yaml(kDefaults, "f"), default_values());
    FlatValues values = default_values();
    values["OPTIM.STEPS"] = {PythonList{{std::int64_t{0}}, {std::int64_t{30}}}};
    values["OUT_DIR"] = {std::string("it's: odd")};
    values["MODEL.WEIGHTS"] = {std::string("123")};
    values["CFG_DEST"] = {std::string("- x")};
    values["OPTIM.BASE_LR"] = {std::numeric_limits<double>::infinity()};
    const std::string text = write_yaml(values);
    EXPECT_TRUE(contains(text, "  STEPS:\n  - 0\n  - 30\n")) << text;
    EXPECT_TRUE(contains(text, "OUT_DIR: 'it''s: odd'\n")) << text;
    EXPECT_TRUE(contains(text, "BASE_LR: .inf\n")) << text;
    values["MODEL.WEIGHTS"] = {std::int64_t{123}};  // yacs makes a number of it again
    EXPECT_EQ(read_yaml(text, "f"), values);
}

TEST(Config, AFileThenOverridesAreMerged) {
    FlatValues values = default_values();
    merge(values, read_yaml("OPTIM: {BASE_LR: 0.4, STEPS: [0, 30], WEIGHT_DECAY: 1e-5}\nRNG_SEED: 7\n", "f"),
          "f");
    merge(values,
          read_overrides({"TRAIN.BATCH_SIZE", "64", "MODEL.DUMMY_INPUT", "True", "MODEL.WEIGHTS", "./w.pth",
                          "OPTIM.STEPS", "0,10", "OPTIM.LR_POLICY", "steps"}),
          "command line");
    const Settings settings = settings_of(values);
    EXPECT_EQ(settings.optim.base_lr, 0.4);
    EXPECT_EQ(settings.optim.weight_decay, 1e-5);
    EXPECT_EQ(settings.optim.steps, (std::vector<double>{0, 10}));
    EXPECT_EQ(settings.train.batch_size, 64);
    EXPECT_TRUE(settings.model.dummy_input);
    EXPECT_EQ(settings.model.weights, "./w.pth");
    EXPECT_EQ(settings.rng_seed, 7);
    EXPECT_EQ(settings.train.topk, 5);
}

TEST(Config, FaultsNameTheKeyAndWhatWasExpected) {
    const auto override_fault = [](const std::vector<std::string>& words) {
        return message_of([&] {
            FlatValues values = default_values();
            merge(values, read_overrides(words), "command line");
            settings_of(values);
        });
    };
    EXPECT_EQ(override_fault({"OPTIM.BASE_LR", "1"}),
              "command line: OPTIM.BASE_LR is 1, which is of type int; a float is expected (it is 0.2 so "
              "far): write a "
              "point, as in 1.0");
    EXPECT_TRUE(contains(override_fault({"TRAIN.BATCH_SIZE", "64.0"}), "an int is expected (it is 32"));
    EXPECT_TRUE(contains(override_fault({"MODEL.SYNCBN", "1"}), "a bool is expected"));
    EXPECT_TRUE(contains(override_fault({"MODEL.ARCH", "18"}), "a str is expected"));
    EXPECT_TRUE(contains(override_fault({"TRAIN.BATCHSIZE", "64"}), "did you mean \"TRAIN.BATCH_SIZE\"?"));
    EXPECT_TRUE(contains(override_fault({"TRAIN.BATCH_SIZE"}), "\"TRAIN.BATCH_SIZE\" has no value"));
    EXPECT_TRUE(
        contains(override_fault({"TRAIN.BATCH_SIZE", "None"}), "TRAIN.BATCH_SIZE is None; a whole number"));
    EXPECT_TRUE(contains(override_fault({"TRAIN.TOPK", "0"}), "TRAIN.TOPK is 0"));
    EXPECT_TRUE(contains(override_fault({"OPTIM.LR_POLICY", "exp"}), "cos or steps"));
    EXPECT_TRUE(contains(override_fault({"OPTIM.LR_POLICY", "steps"}), "must begin with 0"));
    EXPECT_TRUE(contains(override_fault({"OPTIM.STEPS", "[0, 5, 5]"}), "ascending"));
    EXPECT_TRUE(contains(override_fault({"OPTIM.MOMENTUM", "0.0"}), "OPTIM.NESTEROV"));
    const auto file_fault = [](const std::string& text) {
        return message_of([&] {
            FlatValues values = default_values();
            merge(values, read_yaml(text, "my.yaml"), "my.yaml");
        });
    };
    EXPECT_TRUE(contains(file_fault("A: [1\n"), "my.yaml:2: is not YAML"));
    EXPECT_TRUE(contains(file_fault("3\n"), "my.yaml: sections"));
    EXPECT_TRUE(contains(file_fault("MODEL: 3\n"), "my.yaml: MODEL is not a key"));
    EXPECT_TRUE(contains(file_fault("MODEL:\n  ARCH: a\n  ARCH: b\n"), "MODEL.ARCH is there twice"));
    EXPECT_TRUE(contains(file_fault("OPTIM: {STEPS: [{a: 1}]}\n"), "my.yaml:1: a list"));
}

TEST(Config, ScalarsAsPyYamlReadsThem) {
    const auto read = [](const std::string& text) {
        return repr(read_yaml("K: " + text + "\n", "f").at("K"));
    };
    EXPECT_EQ(read("yes"), "True");
    EXPECT_EQ(read("Off"), "False");
    EXPECT_EQ(read("~"), "None");
    EXPECT_EQ(read(""), "None");
    EXPECT_EQ(read("010"), "8");
    EXPECT_EQ(read("5e-5"), "5e-05");
    EXPECT_EQ(read("\"32\""), "32");  // yacs decodes quoted text, too
    EXPECT_EQ(read("\"yes\""), "'yes'");
    EXPECT_EQ(read(".inf"), "inf");
    EXPECT_EQ(read("./data"), "'./data'");
}

TEST(Lines, AreTheirsCharacterForCharacter) {
    Meters meters;
    meters.time.update(0.13, 1);
    meters.time.update(0.123, 1);
    meters.data.update(0.001, 1);
    meters.loss.update(6.9012, 32);
    meters.top1.update(0.12, 32);
    meters.topk.update(0.6, 32);
    EXPECT_EQ(train_line(1, 44424, {30, 5004, 5}, meters),
              "ETA: 12.34h TRAIN:  [1][  30/5004] | Time  0.123 ( 0.127) | Data 0.001 (0.001) | Loss 6.9012 "
              "(6.9012) | "
              "Acc@1  0.120 ( 0.120) | Acc@5  0.600 ( 0.600)");
    EXPECT_EQ(train_line(100, 0, {5, 5, 3}, meters).substr(0, 20), "TRAIN:  [100][5/5] |");
    EXPECT_EQ(validation_line({10, 25, 5}, meters).substr(0, 17), "VAL:  [10/25] | T");
    EXPECT_EQ(rank_line(0, 3), "LOCAL_RANK: 0, RANK: 3");
    EXPECT_EQ(parameters_line(11689512), "Params(M): 11.690, Model Size(MB): 44.592");
    EXPECT_EQ(epoch_line(1, 0.02, "cos"), "CURRENT EPOCH:   1,   LR: 0.0200,   POLICY: cos");
    EXPECT_EQ(
        accuracy_line(70.902, 70.902, 5, 89.894, "./exp/checkpoints/ckpt_ep_001.pth.tar"),
        "ACCURACY: TOP1 70.902(BEST 70.902) | TOP5 89.894 | SAVED ./exp/checkpoints/ckpt_ep_001.pth.tar");
    EXPECT_EQ(test_accuracy_line(70.902, 5, 89.894), "ACCURACY: TOP1 70.902  |  TOP5 89.894");
    EXPECT_EQ(training_banner(), "\n\n\n            =======  TRAINING  ======= \n\n");
    EXPECT_EQ(loaded_line("x"), "LOADED 'x'");
    EXPECT_EQ(no_optimizer_line("x"), "CAN'T FOUND OPTIMIZER in x");
}

TEST(Lines, EtaIsElapsedTimeByShare) {
    EXPECT_NEAR(eta_seconds({60, 0, 0, 5, 10, 10}), 60 / 0.05 * 0.95, 1e-9);
    EXPECT_NEAR(eta_seconds({60, 4, 5, 5, 10, 10}), 60 / 0.15 * 0.45, 1e-9);
    EXPECT_EQ(eta_seconds({60, 0, 9, 10, 10, 10}), 0);
}

TEST(RunLog, WritesPrefixAndFile) {
    setenv("TZ", "UTC", 1);
    tzset();
    EXPECT_EQ(time_prefix(1619870400), "[2021-05-01 12:00:00] ");
    EXPECT_EQ(log_file_name(1619866800.1234567), "1619866800.1234567.log");
    const TemporaryFolder folder;
    {
        RunLog log((folder / "a.log").string());
        log.write("one");
        log.write("\n two");
    }
    const std::string text = test::read_file(folder / "a.log");
    EXPECT_EQ(text.substr(0, 3), "[20");
    EXPECT_TRUE(contains(text, "] one\n["));
    EXPECT_TRUE(contains(text, "] \n two\n"));
    EXPECT_THROW(RunLog((folder / "no" / "a.log").string()), Error);
}

TEST(SlurmEnvironment, GivesWhatTorchrunWouldSet) {
    std::map<std::string, std::string> set{{"SLURM_JOB_ID", "1"},
                                           {"SLURM_PROCID", "5"},
                                           {"SLURM_NTASKS", "8"},
                                           {"SLURM_LOCALID", "1"},
                                           {"SLURM_NODEID", "1"},
                                           {"SLURM_NODELIST", "gpu[03-04,7],x1"},
                                           {"SLURM_TASKS_PER_NODE", "4(x2)"}};
    const Lookup lookup = [&](const std::string& name) {
        const auto found = set.find(name);
        return found == set.end() ? std::nullopt : std::optional(found->second);
    };
    EXPECT_EQ(slurm_environment(lookup), (std::map<std::string, std::string>{{"RANK", "5"},
                                                                             {"WORLD_SIZE", "8"},
                                                                             {"LOCAL_RANK", "1"},
                                                                             {"LOCAL_WORLD_SIZE", "4"},
                                                                             {"MASTER_ADDR", "gpu03"},
                                                                             {"MASTER_PORT", "29566"}}));
    set["MASTER_ADDR"] = "h";
    set["MASTER_PORT"] = "1";
    EXPECT_EQ(slurm_environment(lookup).count("MASTER_ADDR"), 0U);
    EXPECT_EQ(slurm_environment(lookup).count("MASTER_PORT"), 0U);
    set["SLURM_PROCID"] = "x";
    EXPECT_TRUE(contains(message_of([&] { slurm_environment(lookup); }), "SLURM_PROCID=x"));
    set.clear();
    EXPECT_TRUE(slurm_environment(lookup).empty());
    EXPECT_EQ(first_host("node1"), "node1");
    EXPECT_EQ(first_host("node1,node2"), "node1");
    EXPECT_EQ(first_host("a,b[1-2]"), "a");
    EXPECT_EQ(first_host("r[1-2]-ib,x"), "r1-ib");
    EXPECT_EQ(first_host("broken["), "broken[");
}

#ifdef RANKSCOPE_WITH_METRIC_LINES
TEST(Lines, TheDesksReaderReadsThem) {
    metric_lines::LineMetrics reader({}, true);
    Meters meters;
    meters.time.update(0.25, 1);
    meters.data.update(0.01, 1);
    meters.loss.update(2.5, 1);
    meters.top1.update(12.5, 1);
    meters.topk.update(50, 1);
    const std::string prefix = time_prefix(1619866800);
    const auto lines = reader.feed(true, prefix + epoch_line(1, 0.02, "cos") + "\n" + prefix +
                                             train_line(1, 3600, {2, 4, 5}, meters) + "\n" + prefix +
                                             validation_line({3, 3, 5}, meters) + "\n" + prefix +
                                             accuracy_line(12.5, 12.5, 5, 50, "x") + "\n");
    std::map<std::string, double> found;
    for (const MetricsLine& line : lines) {
        for (const auto& [key, value] : line.values) {
            found[key] = value;
        }
    }
    EXPECT_DOUBLE_EQ(found["loss"], 2.5);
    EXPECT_DOUBLE_EQ(found["acc1"], 0.125);
    EXPECT_DOUBLE_EQ(found["acc5"], 0.5);
    EXPECT_DOUBLE_EQ(found["lr"], 0.02);
    EXPECT_DOUBLE_EQ(found["t_step_ms"], 250);
    EXPECT_DOUBLE_EQ(found["steps_per_epoch"], 4);
    EXPECT_DOUBLE_EQ(found["val_loss"], 2.5);
    EXPECT_DOUBLE_EQ(found["val_acc1"], 0.125);
}
#endif

}  // namespace
}  // namespace rankscope::engine::distribuuuu
