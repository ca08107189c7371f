// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

// Training with a backend that runs whole steps: the same updates as the CPU's, one step ahead of their
// results.

#include <engine/backend/cpu/cpu_backend.h>
#include <engine/backend/cuda/cuda_backend.h>
#include <engine/backend/cuda/elementwise.h>
#include <engine/backend/training_step.h>
#include <engine/comm/flight_recorder.h>
#include <engine/comm/process_group.h>
#include <engine/models/initialise.h>
#include <engine/models/model_registry.h>
#include <engine/models/random.h>
#include <engine/train/metrics_sink.h>
#include <engine/train/trainer.h>

#include <tests/engine/cuda_arrays.h>

#include <cmath>
#include <limits>
#include <set>

namespace rankscope::engine::test {
namespace {

class CudaRunner : public cuda::test::OnGpu {
protected:
    std::unique_ptr<CompiledModel> fresh(Backend& backend, Precision precision = Precision::fp32) const {
        auto model = backend.compile(graph, {.batch_size = 6, .precision = precision});
        const CanonicalParameters initial = default_initialisation(graph, 1);
        for (const ParameterId id : initial.indices()) {
            model->set_weight(id, initial[id]);
        }
        return model;
    }

    static Batch batch_of(std::uint64_t seed) {
        Batch batch;
        batch.pixels.resize(6 * 784);
        batch.labels.resize(6);
        TorchGenerator(seed).uniform(batch.pixels, 0.0, 1.0);
        for (std::size_t i = 0; i < 6; ++i) {
            batch.labels[i] = static_cast<std::int32_t>((seed + i) % 10);
        }
        return batch;
    }

    std::vector<float> weights(CompiledModel& model) const {
        std::vector<float> all;
        for (const ParameterId id : graph.parameters.indices()) {
            const std::vector<float> one = model.weight(id);
            all.insert(all.end(), one.begin(), one.end());
        }
        return all;
    }

    Graph graph = build_model("mlp", {1, 28, 28}, 10);
    std::unique_ptr<Backend> cpu = make_cpu_backend(1);
    CudaOptions options{.tuning = cuda::Tuning::none};
    OptimizerStep step{.lr = 0.05, .momentum = 0.9};
    StepTimes times;
};

TEST_F(CudaRunner, UpdatesEqualTheCpusAndResultsComeOneUpdateLate) {
    const auto cuda = make_cuda_backend(options);
    for (const StepOptions& running : {StepOptions{}, StepOptions{.clip_norm = 0.5}}) {
        const auto ours = fresh(*cuda);
        const auto theirs = fresh(*cpu);
        const auto whole_owner = ours->training_step(running, {});
        TrainingStep& whole = *whole_owner;
        const auto parts_owner = theirs->training_step(running, {});
        TrainingStep& parts = *parts_owner;
        EXPECT_EQ(whole.ahead(), 1U);
        EXPECT_EQ(parts.ahead(), 0U);
        std::vector<UpdateResult> got;
        for (std::uint64_t update = 0; update < 4; ++update) {
            step.step = static_cast<std::int64_t>(update) + 1;
            for (TrainingStep* runner : {&whole, &parts}) {
                const std::int64_t batches = update == 2 ? 1 : 3;  // an epoch's last update may be shorter
                runner->begin(batches);
                for (std::int64_t i = 0; i < batches; ++i) {
                    runner->batch(batch_of(update * 10 + static_cast<std::uint64_t>(i)), times);
                }
                runner->finish(step, true, times);
            }
            if (update > 0) {
                got.push_back(whole.result(times));
            }
        }
        got.push_back(whole.result(times));
        for (const UpdateResult& result : got) {
            const UpdateResult wanted = parts.result(times);
            EXPECT_NEAR(result.mine.loss, wanted.mine.loss, 1e-4 * wanted.mine.loss);
            EXPECT_EQ(result.mine.samples, wanted.mine.samples);
            EXPECT_EQ(result.mine.correct, wanted.mine.correct);
            EXPECT_NEAR(*result.gradient_norm, *wanted.gradient_norm, 1e-4 * *wanted.gradient_norm);
        }
        const std::vector<float> a = weights(*ours);
        const std::vector<float> b = weights(*theirs);
        for (std::size_t i = 0; i < a.size(); ++i) {
            ASSERT_NEAR(a[i], b[i], 1e-5F);
        }
    }
}

/// Ranks that all have this one's gradients; it notes what the watchdog gets.
class EqualRanks final : public ProcessGroup {
public:
    explicit EqualRanks(int size) : size_(size) {}
    int rank() const override { return 0; }
    int size() const override { return size_; }
    std::string_view backend() const override { return "test"; }
    std::string transport() const override { return "none"; }
    std::shared_ptr<float> allocate(std::size_t /*count*/) override { return nullptr; }
    Work all_reduce(const Reduction& reduction, When /*when*/) override {
        for (const Piece& piece : reduction.pieces) {
            warm.emplace(reduction.type, piece.data);
        }
        return {};
    }
    void enqueue(const Reduction& reduction, void* queue) override {
        scales.insert(reduction.scale);
        for (const Piece& piece : reduction.pieces) {
            recorded.emplace(reduction.type, piece.data);
            if (poisoned) {
                // The bytes of a NaN in every type.
                cudaMemsetAsync(piece.data, 0xFF, size_of(reduction.type), static_cast<cudaStream_t>(queue));
            }
            cuda::scale(reduction.type, static_cast<std::int64_t>(piece.count),
                        static_cast<float>(size_) * reduction.scale, piece.data,
                        static_cast<cudaStream_t>(queue));
        }
    }
    void enqueued(std::size_t bytes, std::function<bool()> ended) override {
        record.start_queued(CollectiveKind::step, bytes, std::move(ended));
    }
    void sum(std::span<float> /*values*/) override {}
    void sum(std::span<double> /*values*/) override {}
    using ProcessGroup::broadcast;
    void broadcast(std::span<std::byte> /*bytes*/, int /*root*/) override {}
    std::vector<std::string> all_gather(const std::string& bytes) override { return {bytes}; }
    void barrier() override {}
    std::unique_ptr<ProcessGroup> split(int /*colour*/) override { return nullptr; }
    void abort(const std::string& /*why*/) override {}

    GroupRecord record{"nccl", {0}, [](const std::string&) {}};
    std::set<float> scales;
    std::set<std::pair<ElementType, void*>> warm;      ///< what was summed before recording
    std::set<std::pair<ElementType, void*>> recorded;  ///< what a step sums
    bool poisoned = false;                             ///< another rank adds gradients that are not finite

private:
    int size_ = 1;
};

TEST_F(CudaRunner, EachUpdateIsOneOperationForTheWatchdog) {
    const auto cuda = make_cuda_backend(options);
    const auto model = fresh(*cuda);
    EqualRanks group(1);
    const auto runner_owner = model->training_step({}, {.group = &group});
    TrainingStep& runner = *runner_owner;
    for (std::uint64_t update = 1; update <= 5; ++update) {
        runner.begin(2);
        runner.batch(batch_of(update), times);
        runner.batch(batch_of(update + 100), times);
        runner.finish(step, false, times);
        if (update > 1) {
            runner.result(times);
            EXPECT_GE(group.record.state().sequence, update - 1);
            EXPECT_LE(group.record.state().sequence, update);
        }
    }
    runner.result(times);
    const GroupState state = group.record.state();
    EXPECT_EQ(state.sequence, 5U);
    EXPECT_EQ(state.operation, CollectiveKind::step);
    EXPECT_GE(state.bytes, model->layout().total * sizeof(float) * 9 / 10);
    EXPECT_FALSE(state.running);
}

// A rank that hangs in a batch norm's sum holds up the others in a batch that updates nothing, or before the first step.
TEST_F(CudaRunner, ABatchWithSynchronisedBatchNormsIsAnOperationForTheWatchdogToo) {
    const auto cuda = make_cuda_backend(options);
    EqualRanks group(1);
    const auto model = cuda->compile(
        graph, {.batch_size = 6,
                .enqueue_sum = [](std::span<double>, void*) {},
                .announce = [&](std::size_t bytes,
                                std::function<bool()> ended) { group.enqueued(bytes, std::move(ended)); }});
    const auto runner = model->training_step({}, {.group = &group});
    constexpr std::uint64_t kWarmUp = 1;
    for (std::uint64_t update = 1; update <= 2; ++update) {
        runner->begin(3);
        for (std::uint64_t batch = 0; batch < 3; ++batch) {
            runner->batch(batch_of(update * 10 + batch), times);
        }
        runner->finish(step, false, times);
        runner->result(times);
        EXPECT_EQ(group.record.state().sequence, kWarmUp + 3 * update);
    }
}

// NVLink SHARP and NCCL's symmetric kernels compute plain sums alone.
TEST_F(CudaRunner, TheUpdateDividesThePlainSumOfAllRanks) {
    const auto cuda = make_cuda_backend(options);
    const StepOptions clipped{.clip_norm = 0.5};
    for (const ElementType wire : {ElementType::f32, ElementType::bf16, ElementType::f16}) {
        const auto alone = fresh(*cuda);
        const auto together = fresh(*cuda);
        EqualRanks group(4);
        const auto one = alone->training_step(clipped, {});
        const auto many = together->training_step(clipped, {.group = &group, .wire = wire});
        for (std::uint64_t update = 1; update <= 3; ++update) {
            step.step = static_cast<std::int64_t>(update);
            std::vector<double> norms;
            for (TrainingStep* runner : {one.get(), many.get()}) {
                runner->begin(2);
                runner->batch(batch_of(update), times);
                runner->batch(batch_of(update + 100), times);
                runner->finish(step, true, times);
                norms.push_back(*runner->result(times).gradient_norm);
            }
            EXPECT_NEAR(norms[0], norms[1], norms[0] * (wire == ElementType::f32 ? 1e-12 : 1e-2));
        }
        // fp16 ends at 65,504: there every value is divided before it is added.
        EXPECT_EQ(group.scales, std::set<float>{wire == ElementType::f16 ? 0.25F : 1.0F});
        const std::vector<float> expected = weights(*alone);
        const std::vector<float> got = weights(*together);
        if (wire == ElementType::f32) {
            EXPECT_EQ(got, expected);  // a power of two divides exactly
        }
        for (std::size_t i = 0; i < got.size(); ++i) {
            ASSERT_NEAR(got[i], expected[i], 1e-3F) << name_of(wire);
        }
    }
}

TEST_F(CudaRunner, OperationsAreTimedOneByOne) {
    const auto cuda = make_cuda_backend(options);
    const auto model = fresh(*cuda);
    const auto runner = model->training_step({}, {});
    step.step = 1;
    const std::vector<OperationTime> times_of = runner->time_operations(batch_of(1), step);
    ASSERT_GT(times_of.size(), 8U);
    std::size_t updates = 0;
    for (const OperationTime& one : times_of) {
        EXPECT_FALSE(one.name.empty());
        EXPECT_GT(one.us, 0.0) << one.name;
        EXPECT_GT(one.kernels, 0U) << one.name;
        updates += one.name.find("update") != std::string::npos ? 1 : 0;
    }
    EXPECT_GT(updates, 0U);
    step.step = 2;
    const UpdateResult next = runner->train(batch_of(2), step, times);
    EXPECT_TRUE(std::isfinite(next.mine.loss)) << "a step afterwards";
}

TEST_F(CudaRunner, TheLossScaleLivesOnTheDevice) {
    const auto cuda = make_cuda_backend(options);
    const auto model = fresh(*cuda, Precision::fp16);
    const auto runner_owner = model->training_step({.loss_scale = LossScale{.scale = 0x1p40}}, {});
    TrainingStep& runner = *runner_owner;
    const std::vector<float> before = weights(*model);
    EXPECT_TRUE(runner.train(batch_of(1), step, times).skipped);
    EXPECT_EQ(weights(*model), before);
    EXPECT_EQ(runner.loss_scale()->scale, 0x1p39);
    runner.set_loss_scale({.scale = 1024.0, .finite_in_a_row = 7});
    EXPECT_FALSE(runner.train(batch_of(1), step, times).skipped);
    EXPECT_NE(weights(*model), before);
    EXPECT_EQ(runner.loss_scale()->scale, 1024.0);
    EXPECT_EQ(runner.loss_scale()->finite_in_a_row, 8);
}

TEST_F(CudaRunner, ALossThatIsNoNumberIsNamedAfterTheNextStepHasBegun) {
    const auto cuda = make_cuda_backend(options);
    const auto model = fresh(*cuda);
    const auto runner_owner = model->training_step({}, {});
    TrainingStep& runner = *runner_owner;
    Batch bad = batch_of(1);
    bad.pixels[100] = std::numeric_limits<float>::quiet_NaN();
    runner.begin(1);
    runner.batch(bad, times);
    runner.finish(step, false, times);
    runner.begin(1);
    runner.batch(batch_of(2), times);
    runner.finish(step, false, times);
    try {
        runner.result(times);
        ADD_FAILURE() << "accepted";
    } catch (const NotFiniteError& error) {
        EXPECT_NE(std::string(error.what()).find("input"), std::string::npos) << error.what();
    }
    for (const float weight : weights(*model)) {
        ASSERT_TRUE(std::isfinite(weight));
    }
}

// The gradients of the other ranks carry the fault into the sum: no rank may write it into its weights.
TEST_F(CudaRunner, GradientsOfAnotherRankThatAreNotFiniteEndTheRunAndLeaveFiniteWeights) {
    const auto cuda = make_cuda_backend(options);
    for (const ElementType wire : {ElementType::f32, ElementType::bf16, ElementType::f16}) {
        const auto model = fresh(*cuda);
        EqualRanks group(2);
        group.poisoned = true;
        const auto runner = model->training_step({}, {.group = &group, .wire = wire});
        for (std::int64_t update = 1; update <= 2; ++update) {
            step.step = update;
            runner->begin(1);
            runner->batch(batch_of(1), times);
            runner->finish(step, false, times);
        }
        EXPECT_THROW(runner->result(times), NotFiniteError) << name_of(wire);
        for (const float weight : weights(*model)) {
            ASSERT_TRUE(std::isfinite(weight)) << name_of(wire);
        }
        EXPECT_EQ(group.warm, group.recorded) << "connections are made for the sums that are recorded";
    }
}

/// What a run reported.
class Curve final : public RunListener {
public:
    void step_done(const StepReport& report) override {
        losses.push_back(report.mine.mean_loss());
        updates.push_back(report.update);
    }
    void epoch_done(const EpochReport& report) override {
        validation.push_back(report.validation->mean_loss());
    }

    std::vector<double> losses;
    std::vector<double> validation;
    std::vector<std::int64_t> updates;
};

Curve trained(Backend& backend, const config::TrainConfig& config) {
    MetricsSink metrics("");
    DataSource data(config.dataset, true, metrics);
    Curve curve;
    Trainer trainer({.config = config, .listeners = {&curve}}, backend, data);
    trainer.run();
    return curve;
}

// Pictures that are kept on the device and cut there, pictures that are sent as bytes, and short last
// batches.
TEST_F(CudaRunner, WholeRunsHaveTheCpusCurve) {
    const auto cuda = make_cuda_backend(options);
    for (const bool scaled : {false, true}) {
        nlohmann::json section = {
            {"model", "mlp"},
            {"dataset", {{"name", "synthetic-digits"}, {"train_size", 50}, {"test_size", 23}}},
            {"epochs", 2},
            {"batch_size", 8},
            {"accumulate_steps", 2},
            {"metrics_every", 2},
            {"optimizer", {{"name", "sgd"}, {"lr", 0.05}, {"momentum", 0.9}}}};
        if (scaled) {
            section["dataset"]["resize"] = 20;
            section["dataset"]["image_size"] = 20;
        }
        const config::TrainConfig config = config::parse_train_config(section);
        const Curve ours = trained(*cuda, config);
        const Curve theirs = trained(*cpu, config);
        EXPECT_EQ(ours.updates, theirs.updates);
        ASSERT_EQ(ours.losses.size(), 8U);
        ASSERT_EQ(ours.validation.size(), 2U);
        for (std::size_t i = 0; i < ours.losses.size(); ++i) {
            EXPECT_NEAR(ours.losses[i], theirs.losses[i], 1e-4) << "update " << i + 1;
        }
        for (std::size_t i = 0; i < ours.validation.size(); ++i) {
            EXPECT_NEAR(ours.validation[i], theirs.validation[i], 1e-4) << "epoch " << i + 1;
        }
    }
}

}  // namespace
}  // namespace rankscope::engine::test
