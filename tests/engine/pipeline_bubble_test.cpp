// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

// How long the stages of a pipeline wait, when all of them take equally long.

#include <engine/backend/pipeline.h>

#include <gtest/gtest.h>
#include <tests/engine/in_world.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <mutex>
#include <thread>

namespace rankscope::engine::test {
namespace {

using namespace std::chrono_literals;

constexpr auto kForward = 10ms;
constexpr auto kBackward = 20ms;

/// Computes nothing, for as long as a stage would.
class SleepingStage final : public Executable {
public:
    std::int64_t batch_size() const override { return 1; }
    std::span<float> input() override { return values_; }
    std::span<std::int32_t> labels() override { return {}; }
    std::span<float> targets() override { return {}; }
    std::span<std::uint64_t> sample_keys() override { return {}; }
    BatchResult forward(ForwardMode /*mode*/) override {
        std::this_thread::sleep_for(kForward);
        return {};
    }
    void backward(const GradientReady& /*ready*/, GradientMode /*mode*/, float /*loss_scale*/) override {
        std::this_thread::sleep_for(kBackward);
    }
    std::span<const float> handed_over() override { return values_; }
    std::span<float> handed_over_gradient() override { return gradient_; }
    std::span<const float> input_gradient() override { return gradient_; }
    std::vector<float> logits() override { return {}; }
    std::optional<std::string> first_non_finite() override { return std::nullopt; }

private:
    std::array<float, 64> values_{};
    std::array<float, 64> gradient_{};
};

class SleepingModel final : public CompiledModel {
public:
    const ParameterLayout& layout() const override { return layout_; }
    std::span<float> weights() override { return {}; }
    std::span<float> gradients() override { return {}; }
    std::span<float> running_statistics() override { return {}; }
    void set_weight(ParameterId /*id*/, std::span<const float> /*values*/) override {}
    std::vector<float> weight(ParameterId /*id*/) override { return {}; }
    std::vector<float> gradient(ParameterId /*id*/) override { return {}; }
    void read_weight(ParameterId /*id*/, std::span<float> /*values*/) override {}
    bool read_optimizer_state(std::string_view /*name*/, ParameterId /*id*/,
                              std::span<float> /*values*/) override {
        return false;
    }
    void set_statistic(StatisticId /*id*/, std::span<const double> /*values*/) override {}
    std::vector<double> statistic(StatisticId /*id*/) override { return {}; }
    using CompiledModel::executable;
    Executable& executable(std::int64_t /*batch_size*/, std::size_t /*copy*/) override { return stage_; }
    using CompiledModel::optimizer_step;
    bool optimizer_step(const OptimizerStep& /*step*/, FlatRange /*range*/) override { return true; }
    std::vector<float> optimizer_state(std::string_view /*name*/, ParameterId /*id*/) override { return {}; }
    void set_optimizer_state(std::string_view /*name*/, ParameterId /*id*/,
                             std::span<const float> /*values*/) override {}
    double gradient_norm() override { return 0; }
    std::size_t activation_bytes() const override { return 0; }
    std::unique_ptr<TrainingStep> training_step(const StepOptions& /*options*/,
                                                const GradientExchange& /*exchange*/) override {
        return nullptr;
    }

private:
    ParameterLayout layout_;
    SleepingStage stage_;
};

/// The part of a step in which the stages wait, on average: for others, and for the last to end.
double bubble_of(int stages, std::int64_t micro_batches, PipelineOrder order) {
    double waited = 0;
    double longest = 0;
    std::mutex mutex;
    in_world({.ranks = stages}, [&](ProcessGroup& world) {
        PipelineGroups groups(world, stages);
        SleepingModel model;
        Pipeline pipeline(model, {.groups = &groups, .micro_batches = micro_batches, .order = order});
        Batch batch;
        batch.pixels.resize(64 * static_cast<std::size_t>(micro_batches));
        batch.labels.resize(static_cast<std::size_t>(micro_batches));
        StepTimes times;
        world.barrier();
        const auto begin = std::chrono::steady_clock::now();
        pipeline.train(
            batch,
            [](const Pipeline::Backward& one) { one.executable.backward({}, GradientMode::overwrite, 1.0F); },
            times);
        const auto done = std::chrono::steady_clock::now();
        world.barrier();
        const std::lock_guard lock(mutex);
        const auto ms = [](auto time) { return std::chrono::duration<double, std::milli>(time).count(); };
        waited += times.bubble_ms + ms(std::chrono::steady_clock::now() - done);
        longest = std::max(longest, ms(std::chrono::steady_clock::now() - begin));
    });
    return waited / stages / longest;
}

TEST(PipelineBubble, IsThatOfTheoryForEqualStages) {
    for (const PipelineOrder order : {PipelineOrder::gpipe, PipelineOrder::one_forward_one_backward}) {
        for (const auto& [stages, micro_batches] : {std::pair<int, std::int64_t>{2, 4}, {4, 4}, {4, 8}}) {
            const double theory = pipeline_bubble(stages, micro_batches);
            // Other processes of a busy node make it longer: the best of three.
            double measured = 1;
            for (int run = 0; run < 3 && measured > theory + 0.02; ++run) {
                measured = std::min(measured, bubble_of(stages, micro_batches, order));
            }
            std::printf("%d stages, %lld micro-batches, %s: waited %.1f %%, in theory %.1f %%\n", stages,
                        static_cast<long long>(micro_batches),
                        order == PipelineOrder::gpipe ? "gpipe" : "1f1b", 100 * measured, 100 * theory);
            EXPECT_NEAR(measured, theory, 0.05) << stages << " stages, " << micro_batches;
        }
    }
}

}  // namespace
}  // namespace rankscope::engine::test
