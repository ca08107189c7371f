// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

// The parts of the training loop by themselves, then whole runs of rankscope-worker.

#include <engine/backend/cpu/cpu_backend.h>
#include <engine/backend/training_step.h>
#include <engine/ddp/buckets.h>
#include <engine/graph/graph_cost.h>
#include <engine/models/initialise.h>
#include <engine/models/model_registry.h>
#include <engine/train/model_setup.h>
#include <engine/train/parameter_comparison.h>
#include <engine/train/precision_pays.h>
#include <engine/train/sum_over_ranks.h>
#include <engine/train/update_plan.h>
#include <engine/train/validation.h>

#include <gtest/gtest.h>
#include <tests/engine/in_world.h>
#include <tests/engine/temporary_folder.h>
#include <tests/engine/worker_process.h>

#include <cmath>
#include <limits>
#include <random>

namespace rankscope::engine::test {
namespace {

using namespace std::chrono_literals;
using nlohmann::json;

constexpr auto kLong = 240s;

config::TrainConfig config_of(const json& patch) {
    json section = {{"model", "convnet"}, {"dataset", "synthetic-digits"}, {"batch_size", 10}};
    section.merge_patch(patch);
    return config::parse_train_config(section);
}

TEST(PrecisionPays, IsMeasuredAndSaidWhereItDoesNot) {
    EXPECT_EQ(precision_advice({.half = 3, .full = 4}), "");
    EXPECT_EQ(precision_advice({.half = 4.25, .full = 3}),
              "bf16 is not faster on this CPU: a forward and backward pass takes 4.25 ms, in fp32 3 ms. Set "
              "precision to fp32");
    const auto backend = make_cpu_backend(1);
    for (const char* model : {"convnet", "gpt2-mini"}) {
        const bool language = config::is_language_model(model);
        const Graph graph = build_model(model, language ? Shape{16} : Shape{1, 28, 28}, 10);
        const auto times = measured_precisions(*backend, graph, 2, 1);
        try {
            backend->compile(graph, {.batch_size = 2, .precision = Precision::bf16});
        } catch (const ConfigError&) {
            EXPECT_FALSE(times) << "a CPU without bf16";
            continue;
        }
        ASSERT_TRUE(times);
        EXPECT_GT(times->half, 0);
        EXPECT_GT(times->full, 0);
        EXPECT_FALSE(measured_precisions(*backend, graph, std::int64_t{1} << 30, 1)) << "no memory for it";
    }
}

TEST(UpdatePlan, TheConfigurationsOptimizerAndSchedule) {
    const auto config = config_of(json::parse(R"({"epochs": 10, "accumulate_steps": 4,
        "optimizer": {"name": "adamw", "lr": 0.1, "weight_decay": 0.2, "no_decay_norm_bias": true, "beta2": 0.9},
        "schedule": {"name": "steps", "milestones": [2, 4], "gamma": 0.5, "reference_batch": 40,
                     "warmup": {"steps": 5, "factor": 0}}})"));
    const OptimizerStep settings = optimizer_settings(config.optimizer);
    EXPECT_EQ(settings.kind, OptimizerKind::adamw);
    EXPECT_EQ(settings.weight_decay, 0.2);
    EXPECT_FALSE(settings.decay_norm_bias);
    const LrSchedule schedule = lr_schedule(config, 2);  // 10 · 2 ranks · 4 = twice the reference
    const auto step = [&](std::int64_t epoch, std::int64_t in_epoch) {
        return scheduled_step(settings, schedule, {epoch, in_epoch, 10, 10}, epoch * 10 + in_epoch + 1);
    };
    EXPECT_EQ(step(0, 0).lr, 0.0);
    EXPECT_NEAR(step(0, 4).lr, 0.2 * 0.8, 1e-12);
    EXPECT_NEAR(step(1, 0).lr, 0.2, 1e-12);
    EXPECT_NEAR(step(2, 0).lr, 0.1, 1e-12);
    EXPECT_NEAR(step(9, 9).lr, 0.05, 1e-12);
    EXPECT_EQ(step(9, 9).step, 100);
    EXPECT_EQ(step(9, 9).beta2, 0.9);
}

TEST(UpdatePlan, OneCycleMovesTheMomentumOfTheOptimizerThatHasOne) {
    for (const char* optimizer : {"sgd", "adam"}) {
        const auto config =
            config_of({{"schedule", "onecycle"}, {"optimizer", {{"name", optimizer}, {"lr", 0.1}}}});
        const OptimizerStep step =
            scheduled_step(optimizer_settings(config.optimizer), lr_schedule(config, 1),
                           {.epoch = 0, .step_in_epoch = 0, .steps_per_epoch = 50}, 1);
        EXPECT_NEAR(step.lr, 0.1 / 25, 1e-12);
        EXPECT_EQ(step.kind == OptimizerKind::sgd ? step.momentum : step.beta1, 0.95);
    }
}

TEST(UpdatePlan, TheLastUpdateOfAnEpochTakesWhatIsLeft) {
    const UpdateSplit split{10, 4};
    EXPECT_EQ(split.updates(), 3);
    EXPECT_EQ(split.batches_from(0), 4);
    EXPECT_EQ(split.batches_from(8), 2);
    EXPECT_EQ((UpdateSplit{3, 1}).updates(), 3);
}

TEST(Validation, EverySampleOnceOrPaddedAsPyTorchDoes) {
    EXPECT_EQ(validation_indices(5, 0, 2, false), (std::vector<std::int64_t>{0, 2, 4}));
    EXPECT_EQ(validation_indices(5, 1, 2, false), (std::vector<std::int64_t>{1, 3}));
    EXPECT_EQ(validation_indices(5, 1, 2, true), (std::vector<std::int64_t>{1, 3, 0}));
    EXPECT_TRUE(validation_indices(1, 1, 2, false).empty());
}

TEST(ModelSetup, ABatchNormOverOneValueIsRefused) {
    const Graph graph = build_model("resnet18", {1, 28, 28}, 10);
    check_batch_norms(graph, 2);
    try {
        check_batch_norms(graph, 1);
        FAIL();
    } catch (const ConfigError& error) {
        EXPECT_NE(std::string(error.what()).find("layer4.0.bn1"), std::string::npos) << error.what();
        EXPECT_NE(std::string(error.what()).find("drop_last"), std::string::npos) << error.what();
    }
    check_batch_norms(build_model("resnet18", {3, 64, 64}, 10), 1);  // 2×2 pixels
    EXPECT_EQ(parameter_count(build_model("resnet18", {3, 224, 224}, 1000)), 11689512);
}

// A reducer plans its buckets again in the order of arrival. Where that is the order of storage nothing
// changes, and a resumed run (whose first step has the first plan) adds gradients in the same
// order as before.
TEST(GradientOrder, GradientsArriveAsTheyAreStored) {
    const std::unique_ptr<Backend> backend = make_cpu_backend(1);
    for (const std::string& name : model_names()) {
        if (name.find("101") != std::string::npos || name == "resnet152" ||
            name.find("_160") != std::string::npos || name == "regnety_320" || name == "densenet161" ||
            name == "densenet169" || name == "densenet201" || name == "vit_small_patch16_224" ||
            name == "gpt2") {
            continue;  // as a smaller one of its kind, only longer
        }
        const bool features = name == "toy" || name == "linear" || config::is_language_model(name);
        const Graph graph = build_model(name, features ? Shape{10} : Shape{3, 32, 32}, 10);
        const auto model = backend->compile(graph, {.batch_size = 2});
        Executable& executable = model->executable(2);
        executable.forward();
        std::vector<ParameterId> order;
        executable.backward([&](ParameterId id) { order.push_back(id); });
        EXPECT_EQ(order, storage_order(model->layout())) << name;
    }
}

/// A model and batches for it, without a process group.
class TrainingStepTest : public ::testing::Test {
protected:
    std::unique_ptr<CompiledModel> fresh_model(std::int64_t batch) {
        auto model = backend->compile(graph, {.batch_size = batch});
        const CanonicalParameters initial = default_initialisation(graph, 1);
        for (const ParameterId id : initial.indices()) {
            model->set_weight(id, initial[id]);
        }
        return model;
    }

    Batch batch_of(std::int64_t first, std::int64_t size) const {
        Batch batch;
        batch.pixels.resize(static_cast<std::size_t>(size) * 784);
        batch.labels.resize(static_cast<std::size_t>(size));
        for (std::int64_t i = 0; i < size; ++i) {
            std::mt19937 random(static_cast<unsigned>(first + i));
            for (std::size_t p = 0; p < 784; ++p) {
                batch.pixels[static_cast<std::size_t>(i) * 784 + p] =
                    static_cast<float>(random() % 1000) / 1000.0F;
            }
            batch.labels[static_cast<std::size_t>(i)] = static_cast<std::int32_t>((first + i) % 10);
        }
        return batch;
    }

    std::vector<float> parameters(CompiledModel& model) const {
        std::vector<float> all;
        for (const ParameterId id : graph.parameters.indices()) {
            const std::vector<float> values = model.weight(id);
            all.insert(all.end(), values.begin(), values.end());
        }
        return all;
    }

    static double largest_difference(const std::vector<float>& a, const std::vector<float>& b) {
        double largest = 0;
        for (std::size_t i = 0; i < a.size(); ++i) {
            largest = std::max(largest, std::abs(static_cast<double>(a[i]) - b[i]));
        }
        return largest;
    }

    Graph graph = build_model("convnet", {1, 28, 28}, 10);
    std::unique_ptr<Backend> backend = make_cpu_backend(1);
    OptimizerStep step{.lr = 0.05, .momentum = 0.9};
    StepTimes times;
};

TEST_F(TrainingStepTest, AccumulatedBatchesAreTheMeanOfTheirMeans) {
    const auto whole = fresh_model(20);
    const auto parts = fresh_model(10);
    const auto runs_whole_owner = whole->training_step({}, {});
    TrainingStep& runs_whole = *runs_whole_owner;
    const auto runs_parts_owner = parts->training_step({}, {});
    TrainingStep& runs_parts = *runs_parts_owner;
    for (std::int64_t update = 0; update < 3; ++update) {
        step.step = update + 1;
        runs_whole.train(batch_of(20 * update, 20), step, times);
        runs_parts.begin(2);
        runs_parts.batch(batch_of(20 * update, 10), times);
        runs_parts.batch(batch_of(20 * update + 10, 10), times);
        runs_parts.finish(step, false, times);
        EXPECT_EQ(runs_parts.result(times).mine.samples, 20.0);
    }
    EXPECT_LT(largest_difference(parameters(*whole), parameters(*parts)), 1e-6);
    EXPECT_GT(largest_difference(parameters(*whole), parameters(*fresh_model(10))), 1e-3);
}

TEST_F(TrainingStepTest, ClippingLimitsTheStepToItsNorm) {
    const auto free = fresh_model(10);
    const auto clipped = fresh_model(10);
    step.momentum = 0;
    const auto runs_free_owner = free->training_step({}, {});
    TrainingStep& runs_free = *runs_free_owner;
    const auto runs_clipped_owner = clipped->training_step({.clip_norm = 0.01}, {});
    TrainingStep& runs_clipped = *runs_clipped_owner;
    const std::vector<float> before = parameters(*free);
    runs_free.begin(1);
    runs_free.batch(batch_of(0, 10), times);
    runs_free.finish(step, true, times);
    const double norm = *runs_free.result(times).gradient_norm;
    runs_clipped.begin(1);
    runs_clipped.batch(batch_of(0, 10), times);
    runs_clipped.finish(step, false, times);
    EXPECT_NEAR(*runs_clipped.result(times).gradient_norm, norm, 1e-6);
    ASSERT_GT(norm, 0.1);
    const std::vector<float> a = parameters(*free);
    const std::vector<float> b = parameters(*clipped);
    double moved = 0;
    for (std::size_t i = 0; i < before.size(); ++i) {
        const double full = static_cast<double>(a[i]) - before[i];
        const double part = static_cast<double>(b[i]) - before[i];
        moved += part * part;
        ASSERT_NEAR(part, full * 0.01 / norm, 2e-7);
    }
    EXPECT_NEAR(std::sqrt(moved), step.lr * 0.01, 1e-5);
}

TEST_F(TrainingStepTest, TheLossScaleCancelsAndAnOverflowLeavesTheWeights) {
    const auto plain = fresh_model(10);
    const auto scaled = fresh_model(10);
    const auto runs_plain_owner = plain->training_step({}, {});
    TrainingStep& runs_plain = *runs_plain_owner;
    const auto runs_scaled_owner = scaled->training_step({.loss_scale = LossScale{.scale = 1024}}, {});
    TrainingStep& runs_scaled = *runs_scaled_owner;
    runs_plain.train(batch_of(0, 10), step, times);
    runs_scaled.train(batch_of(0, 10), step, times);
    EXPECT_LT(largest_difference(parameters(*plain), parameters(*scaled)), 1e-7);
    runs_scaled.set_loss_scale({.scale = 3e38});
    const std::vector<float> before = parameters(*scaled);
    runs_scaled.begin(1);
    runs_scaled.batch(batch_of(10, 10), times);
    runs_scaled.finish(step, false, times);
    EXPECT_TRUE(runs_scaled.result(times).skipped);
    EXPECT_EQ(parameters(*scaled), before);
    EXPECT_EQ(runs_scaled.loss_scale()->scale, 1.5e38);
}

TEST_F(TrainingStepTest, ALossThatIsNoNumberNamesTheFirstLayerAndTouchesNothing) {
    const auto model = fresh_model(10);
    const auto runner_owner = model->training_step({}, {});
    TrainingStep& runner = *runner_owner;
    const std::vector<float> before = parameters(*model);
    const auto message = [&](const Batch& batch) -> std::string {
        try {
            runner.train(batch, step, times);
        } catch (const NotFiniteError& error) {
            return error.what();
        }
        return "nothing";
    };
    Batch bad = batch_of(0, 10);
    bad.pixels[100] = std::numeric_limits<float>::quiet_NaN();
    EXPECT_NE(message(bad).find("input"), std::string::npos) << message(bad);
    EXPECT_EQ(parameters(*model), before);
    std::vector<float> weight = model->weight(ParameterId(2));
    weight[0] = std::numeric_limits<float>::infinity();
    model->set_weight(ParameterId(2), weight);
    EXPECT_NE(message(batch_of(0, 10)).find("conv2"), std::string::npos) << message(batch_of(0, 10));
}

/// Two ranks, of which the other one's gradients are infinite.
class InfiniteRank final : public ProcessGroup {
public:
    int rank() const override { return 0; }
    int size() const override { return 2; }
    std::string_view backend() const override { return "test"; }
    std::string transport() const override { return "none"; }
    std::shared_ptr<float> allocate(std::size_t /*count*/) override { return nullptr; }
    Work all_reduce(const Reduction& reduction, When /*when*/) override {
        static_cast<float*>(reduction.pieces.front().data)[0] = std::numeric_limits<float>::infinity();
        return {};
    }
    void sum(std::span<float> /*values*/) override {}
    void sum(std::span<double> /*values*/) override {}
    using ProcessGroup::broadcast;
    void broadcast(std::span<std::byte> /*bytes*/, int /*root*/) override {}
    std::vector<std::string> all_gather(const std::string& bytes) override { return {bytes, bytes}; }
    void barrier() override {}
    std::unique_ptr<ProcessGroup> split(int /*colour*/) override { return nullptr; }
    void abort(const std::string& /*why*/) override {}
};

TEST_F(TrainingStepTest, GradientsOfAnotherRankThatAreNotFiniteEndTheRunAndLeaveFiniteWeights) {
    const auto model = fresh_model(10);
    InfiniteRank group;
    const auto runner = model->training_step({}, {.group = &group});
    EXPECT_THROW(runner->train(batch_of(0, 10), step, times), NotFiniteError);
    for (const float weight : parameters(*model)) {
        ASSERT_TRUE(std::isfinite(weight));
    }
}

class ParameterComparison : public TrainingStepTest {
protected:
    /// What the ranks find when each has changed its own model.
    void compare(int ranks, const std::function<void(int rank, CompiledModel& model)>& change,
                 const std::function<void(const std::optional<ParameterDifference>&)>& expect) {
        in_world({.ranks = ranks}, [&](ProcessGroup& group) {
            const std::unique_ptr<Backend> own = make_cpu_backend(1);
            const auto model = own->compile(graph, {.batch_size = 2});
            const CanonicalParameters initial = default_initialisation(graph, 1);
            for (const ParameterId id : initial.indices()) {
                model->set_weight(id, initial[id]);
            }
            change(group.rank(), *model);
            expect(compare_parameters(*model, graph, &group));
        });
    }

    static void change_last_bit(CompiledModel& model, ParameterId id, std::size_t place) {
        std::vector<float> values = model.weight(id);
        values[place] = std::nextafter(values[place], 2.0F);
        model.set_weight(id, values);
    }
};

TEST_F(ParameterComparison, FindsNothingWhereAllRanksAreEqual) {
    compare(
        3, [](int, CompiledModel&) {}, [](const auto& found) { EXPECT_FALSE(found); });
}

TEST_F(ParameterComparison, NamesTheOddRankAndTheFirstParameterByOneBit) {
    compare(
        3,
        [&](int rank, CompiledModel& model) {
            if (rank == 1) {
                change_last_bit(model, ParameterId(2), 7);
                change_last_bit(model, ParameterId(3), 0);
            }
        },
        [&](const auto& found) {
            ASSERT_TRUE(found);
            EXPECT_EQ(found->ranks, std::vector<int>{1});
            EXPECT_EQ(found->parameter, graph.parameters[ParameterId(2)].name);
        });
}

TEST_F(ParameterComparison, OfTwoRanksTheOneThatIsNotRank0IsNamed) {
    compare(
        2,
        [&](int rank, CompiledModel& model) {
            if (rank == 0) {
                change_last_bit(model, ParameterId(0), 0);
            }
        },
        [](const auto& found) {
            ASSERT_TRUE(found);
            EXPECT_EQ(found->ranks, std::vector<int>{1});
        });
}

// --- whole runs
// ---------------------------------------------------------------------------------------------

json digits_job() {
    return {{"model", "convnet"},
            {"dataset", {{"name", "synthetic-digits"}, {"train_size", 160}, {"test_size", 33}}},
            {"epochs", 1},
            {"batch_size", 10},
            {"drop_last", true},
            {"metrics_every", 1},
            {"optimizer", {{"name", "sgd"}, {"lr", 0.02}, {"momentum", 0.9}}}};
}

std::vector<WorkerProcess> finished_world(const TemporaryFolder& folder, int world, const json& job) {
    auto workers = start_world(folder.path(), world, job);
    for (WorkerProcess& worker : workers) {
        EXPECT_EQ(worker.wait(kLong), 0) << worker.errors();
    }
    return workers;
}

void expect_same_losses(const json& many_job, int world, const json& one_job, double tolerance) {
    const TemporaryFolder folder;
    const auto many = finished_world(folder, world, many_job);
    const auto one = finished_world(folder, 1, one_job);
    const auto losses = many[0].series("loss_all");
    const auto expected = one[0].series("loss_all");
    ASSERT_EQ(losses.size(), expected.size());
    ASSERT_FALSE(losses.empty());
    for (std::size_t i = 0; i < losses.size(); ++i) {
        EXPECT_NEAR(losses[i], expected[i], tolerance) << "update " << i + 1;
    }
}

TEST(TrainerRun, TwoRanksThatAccumulateEqualOneRankWithTheWholeBatch) {
    json many = digits_job();
    many["accumulate_steps"] = 2;
    json one = digits_job();
    one["batch_size"] = 40;
    expect_same_losses(many, 2, one, 2e-5);
}

json dropping_job() {
    return {{"model", "gpt2-mini"},
            {"dataset", {{"name", "synthetic-text"}, {"sequence", 16}, {"train_size", 64}, {"test_size", 8}}},
            {"epochs", 2},
            {"batch_size", 4},
            {"dropout", 0.2},
            {"metrics_every", 1},
            {"optimizer", {{"name", "sgd"}, {"lr", 0.05}}}};
}

TEST(TrainerRun, DropoutDropsTheSameOnAnyNumberOfRanks) {
    json one = dropping_job();
    one["batch_size"] = 16;
    json two = dropping_job();
    two["accumulate_steps"] = 2;
    expect_same_losses(two, 2, one, 2e-5);
    one["dropout"] = 0;
    json other = dropping_job();
    other["batch_size"] = 16;
    const TemporaryFolder folder;
    const auto without = finished_world(folder, 1, one)[0].series("loss");
    const auto with = finished_world(folder, 1, other)[0].series("loss");
    EXPECT_GT(std::abs(without.front() - with.front()), 1e-4) << "nothing was dropped";
}

TEST(TrainerRun, SynchronisedBatchNormsEqualOneRankWithTheWholeBatch) {
    json many = digits_job();
    many["model"] = "resnet18";
    many["dataset"]["train_size"] = 32;
    many["batch_size"] = 8;
    many["sync_bn"] = true;
    // Batch norms over 16 pictures of one pixel: with a rate of 0.02 rounding alone moves the second loss by
    // 4e-3.
    many["optimizer"]["lr"] = 1e-4;
    json one = many;
    one["batch_size"] = 16;
    expect_same_losses(many, 2, one, 2e-4);
}

TEST(TrainerRun, MetricsOverAllRanksAreTheMeansOfTheRanks) {
    const TemporaryFolder folder;
    json job = digits_job();
    job["metrics_every"] = 3;
    job["schedule"] = {{"name", "cos"}, {"by", "step"}};
    job["clip_norm"] = 0.5;
    const auto workers = finished_world(folder, 2, job);
    const auto first = workers[0].series("loss");
    const auto second = workers[1].series("loss");
    ASSERT_EQ(first.size(), 8U);
    const auto all = workers[0].series("loss_all");
    ASSERT_EQ(all.size(), 3U);  // updates 3, 6 and the last, 8
    EXPECT_NEAR(all[0], (first[2] + second[2]) / 2, 1e-9);
    EXPECT_NEAR(all[2], (first[7] + second[7]) / 2, 1e-9);
    EXPECT_TRUE(workers[1].series("loss_all").empty());
    EXPECT_EQ(workers[0].series("acc5_all").size(), 3U);
    EXPECT_EQ(workers[0].series("grad_norm").size(), 8U);  // clipping needs it in every update
    EXPECT_EQ(workers[1].series("peak_rss_mb").size(), 3U);
    EXPECT_EQ(workers[0].series("t_optimizer_ms").size(), 8U);
    EXPECT_EQ(workers[0].series("acc5").size(), 8U);
    EXPECT_EQ(workers[0].series("val_acc5").size(), 1U);
    const auto rates = workers[0].series("lr");
    for (std::size_t i = 0; i < rates.size(); ++i) {
        EXPECT_NEAR(rates[i], 0.02 * 0.5 * (1 + std::cos(M_PI * static_cast<double>(i) / 8)), 1e-9);
    }
}

TEST(TrainerRun, ValidationCountsEverySampleOnceOrPadded) {
    const TemporaryFolder folder;
    json job = digits_job();
    job["max_steps"] = 1;
    job["validation"] = {{"batch_size", 7}, {"report_every", 1}};
    EXPECT_EQ(finished_world(folder, 2, job)[0].series("val_samples"), std::vector<double>{33});
    job["validation"]["pad"] = true;
    EXPECT_EQ(finished_world(folder, 2, job)[0].series("val_samples"), std::vector<double>{34});
}

TEST(TrainerRun, DivergenceNamesStepRankAndLayer) {
    const TemporaryFolder folder;
    json job = digits_job();
    job["optimizer"] = {{"lr", 1e30}};
    auto workers = start_world(folder.path(), 1, job);
    EXPECT_EQ(workers[0].wait(kLong), 1);
    const std::string errors = workers[0].errors();
    EXPECT_NE(errors.find("rank 0"), std::string::npos) << errors;
    EXPECT_NE(errors.find("step "), std::string::npos) << errors;
    EXPECT_NE(errors.find("first layer"), std::string::npos) << errors;
    EXPECT_NE(errors.find("optimizer.lr"), std::string::npos) << errors;
}

TEST(TrainerRun, BadInputIsRefusedWithItsReason) {
    const TemporaryFolder folder;
    const auto refusal = [&](const json& patch) {
        json job = digits_job();
        job.merge_patch(patch);
        auto workers = start_world(folder.path(), 1, job);
        EXPECT_EQ(workers[0].wait(kLong), 2);
        return workers[0].errors();
    };
    EXPECT_NE(refusal({{"batch_size", 200}}).find("not one batch of 200"), std::string::npos);
    EXPECT_NE(refusal({{"model", {{"name", "convnet"}, {"classes", 5}}}}).find("model.classes is 5"),
              std::string::npos);
    EXPECT_NE(refusal(json::parse(R"({"model": "convnet", "dataset": {"name": "random", "shape": [1, 4, 4],
                                      "train_size": null, "test_size": null}})"))
                  .find("model \"convnet\" does not fit"),
              std::string::npos);
    EXPECT_NE(refusal({{"model", "resnet18"}, {"drop_last", false}, {"dataset", {{"train_size", 11}}}})
                  .find("one value per channel"),
              std::string::npos);
}

TEST(TrainerRun, TheTutorialsNetsTrainOnTheMeanSquaredError) {
    for (const char* model : {"linear", "toy"}) {
        const TemporaryFolder folder;
        json job = digits_job();
        job["model"] = model;
        job["dataset"] = {
            {"name", "random"}, {"shape", {10}}, {"classes", 5}, {"train_size", 160}, {"test_size", 20}};
        const auto workers = finished_world(folder, 1, job);
        const auto losses = workers[0].series("loss");
        ASSERT_EQ(losses.size(), 16U);
        EXPECT_LT(losses.back(), losses.front());
        EXPECT_TRUE(workers[0].series("acc1").empty());
        EXPECT_EQ(workers[0].series("val_loss").size(), 1U);
    }
}

}  // namespace
}  // namespace rankscope::engine::test
