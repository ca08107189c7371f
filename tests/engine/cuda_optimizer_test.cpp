// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

// The CUDA backend's updates, norms and loss scale against the host's; on a GPU, and on the CPU with the emulation.

#include <engine/backend/cuda/optimizer.h>
#include <engine/backend/cuda/stream.h>
#include <engine/optim/loss_scale.h>
#include <engine/optim/optimizer_update.h>

#include <tests/engine/cuda_kernel_test.h>

#include <cmath>
#include <limits>
#include <span>

namespace rankscope::engine::cuda::test {
namespace {

class OptimizerKernels : public KernelTest {};
INSTANTIATE_TEST_SUITE_P(Types, OptimizerKernels, all_element_types(), element_type_name);

/// Parameters of the optimizer's tests: lines of 16, every third not decayed, every fifth without gradient.
struct FlatCase {
    static constexpr std::size_t kCount = 16 * 300;
    Floats parameters = noise(kCount, 1);
    Floats gradients = noise(kCount, 2, -0.5F, 0.5F);
    Floats first = noise(kCount, 3, -0.1F, 0.1F);
    Floats second = noise(kCount, 4, 0.0F, 0.1F);
    std::vector<std::uint8_t> lines;

    FlatCase() {
        for (std::size_t line = 0; line < kCount / 16; ++line) {
            const bool live = line % 5 != 4;
            lines.push_back(static_cast<std::uint8_t>((line % 3 != 2 ? kDecayed : 0) | (live ? kLive : 0)));
            for (std::size_t i = 0; !live && i < 16; ++i) {
                gradients[line * 16 + i] = 0.0F;
            }
        }
    }
};

TEST_P(OptimizerKernels, OptimizersEqualTheCpus) {
    std::vector<OptimizerStep> steps(5);
    steps[0].momentum = 0.0;
    steps[1].momentum = 0.9;
    steps[1].nesterov = true;
    steps[2].momentum = 0.8;
    steps[2].dampening = 0.3;
    steps[3].kind = OptimizerKind::adam;
    steps[4].kind = OptimizerKind::adamw;
    for (OptimizerStep& step : steps) {
        step.lr = 0.05;
        step.weight_decay = 0.02;
        step.gradient_scale = 0.5;
        step.clip_value = 0.2;
    }
    for (OptimizerStep step : steps) {
        FlatCase flat;
        const int arrays = optimizer_state_count(step.kind, step.momentum);
        const Stream stream;
        const Objects<std::uint8_t> lines(flat.lines);
        const Array gradients(ElementType::f32, flat.gradients);
        const Array parameters(ElementType::f32, flat.parameters);
        const Array first(ElementType::f32, flat.first);
        const Array second(ElementType::f32, flat.second);
        const Array copy(type(), flat.parameters);
        for (step.step = 1; step.step <= 3; ++step.step) {
            for (std::size_t line = 0; line < flat.lines.size(); ++line) {
                const auto part = [&](Floats& of, bool there) {
                    return there ? std::span<float>(of).subspan(line * 16, 16) : std::span<float>();
                };
                optimizer_update(step, (flat.lines[line] & kDecayed) != 0, part(flat.gradients, true),
                                 part(flat.parameters, true),
                                 {part(flat.first, arrays > 0), part(flat.second, arrays > 1)});
            }
            UpdateNumbers numbers;
            set_update_numbers(step, numbers);
            const Objects<UpdateNumbers> device(std::vector<UpdateNumbers>{numbers});
            FlatParameters all;
            all.lines = lines.data();
            all.gradients = gradients.floats();
            all.parameters = parameters.floats();
            all.first = arrays > 0 ? first.floats() : nullptr;
            all.second = arrays > 1 ? second.floats() : nullptr;
            all.copy = type() == ElementType::f32 ? nullptr : copy.data();
            all.copy_type = type();
            // In two ranges, as buckets are.
            all.end = 16 * 113;
            update_parameters(step.kind, all, device.data(), {}, stream.get());
            all.begin = all.end;
            all.end = FlatCase::kCount;
            update_parameters(step.kind, all, device.data(), {}, stream.get());
            stream.wait();
        }
        const auto widened = [](const Floats& of) { return Doubles(of.begin(), of.end()); };
        expect_near(parameters.values(), widened(flat.parameters), 1e-6, "parameters");
        if (arrays > 0) {
            expect_near(first.values(), widened(flat.first), 1e-6, "first");
        }
        if (arrays > 1) {
            expect_near(second.values(), widened(flat.second), 1e-6, "second");
        }
        if (type() != ElementType::f32) {
            EXPECT_EQ(copy.values(), rounded(parameters.values(), type()));
        }
    }
}

TEST_P(OptimizerKernels, LeaveWeightsWhereAGradientIsNotFinite) {
    for (const OptimizerKind kind : {OptimizerKind::sgd, OptimizerKind::adam, OptimizerKind::adamw}) {
        FlatCase flat;
        std::size_t place = 0;
        while ((flat.lines[place / 16] & kLive) == 0) {
            place += 16;
        }
        flat.gradients[place + 3] = std::numeric_limits<float>::infinity();
        OptimizerStep step;
        step.kind = kind;
        step.momentum = 0.9;
        step.step = 7;
        const Stream stream;
        const Objects<std::uint8_t> lines(flat.lines);
        const Array gradients(ElementType::f32, flat.gradients);
        const Array parameters(ElementType::f32, flat.parameters);
        const Array first(ElementType::f32, flat.first);
        const Array second(ElementType::f32, flat.second);
        UpdateNumbers numbers;
        set_update_numbers(step, numbers);
        const Objects<UpdateNumbers> device(std::vector<UpdateNumbers>{numbers});
        const Objects<UpdateReport> report(std::vector<UpdateReport>(1));
        FlatParameters all;
        all.end = FlatCase::kCount;
        all.lines = lines.data();
        all.gradients = gradients.floats();
        all.parameters = parameters.floats();
        all.first = first.floats();
        all.second = second.floats();
        update_parameters(step.kind, all, device.data(), {.report = report.data()}, stream.get());
        stream.wait();
        EXPECT_EQ(report.values().front().not_finite_in, 7);
        const Floats after = parameters.values();
        EXPECT_EQ(after[place + 3], flat.parameters[place + 3]);
        std::size_t moved = 0;
        for (std::size_t i = 0; i < after.size(); ++i) {
            ASSERT_TRUE(std::isfinite(after[i])) << i;
            moved += after[i] != flat.parameters[i] ? 1U : 0U;
        }
        EXPECT_GT(moved, 0U) << "the others are updated";
    }
}

class Norms : public OnGpu {};

TEST_F(Norms, NormClippingAndLossScale) {
    FlatCase flat;
    const Stream stream;
    const Objects<std::uint8_t> lines(flat.lines);
    const Array partials(ElementType::f32, Floats(2 * kNormBlocks, 0.0F));
    const Objects<unsigned> counter(std::vector<unsigned>{0U});
    const NormScratch scratch{static_cast<double*>(partials.data()), counter.data()};
    const auto measure = [&](const Floats& values, const OptimizerStep& step, double clip,
                             DeviceLossScale* scale) {
        const Array gradients(ElementType::f32, values);
        UpdateNumbers numbers;
        set_update_numbers(step, numbers);
        const Objects<UpdateNumbers> device(std::vector<UpdateNumbers>{numbers});
        const Objects<UpdateReport> report(std::vector<UpdateReport>(1));
        FlatParameters all;
        all.end = FlatCase::kCount;
        all.lines = lines.data();
        all.gradients = gradients.floats();
        measure_gradients(all, {clip, scale}, device.data(), report.data(), scratch, stream.get());
        stream.wait();
        return std::pair(device.values().front(), report.values().front());
    };
    double squares = 0.0;
    for (const float g : flat.gradients) {
        squares += static_cast<double>(g) * g;
    }
    const double norm = std::sqrt(squares);
    OptimizerStep step;
    step.gradient_scale = 0.5;
    auto [numbers, report] = measure(flat.gradients, step, 0.0, nullptr);
    EXPECT_NEAR(report.norm, norm * 0.5, 1e-6 * norm);
    EXPECT_FLOAT_EQ(numbers.gradient_scale, 0.5F);
    std::tie(numbers, report) = measure(flat.gradients, step, 1.0, nullptr);
    EXPECT_NEAR(numbers.gradient_scale, 0.5 / (norm * 0.5 + 1e-6), 1e-6);
    std::tie(numbers, report) = measure(flat.gradients, step, 1e6, nullptr);
    EXPECT_FLOAT_EQ(numbers.gradient_scale, 0.5F);

    // The loss scale follows the host's rule: halved at an overflow, doubled after this many updates.
    DeviceLossScale initial;
    initial.scale = 1024.0F;
    initial.growth_interval = 2;
    LossScale host{.scale = 1024.0, .growth_interval = 2};
    const Objects<DeviceLossScale> scale_on_device(std::vector<DeviceLossScale>{initial});
    Floats broken = flat.gradients;
    broken[1] = std::numeric_limits<float>::infinity();
    std::int64_t left_out = 0;
    for (int i = 0; i < 7; ++i) {
        const bool finite = i != 2 && i != 3;
        const auto used = static_cast<float>(host.scale);
        step.step = i + 1;
        step.kind = OptimizerKind::adam;
        std::tie(numbers, report) =
            measure(finite ? flat.gradients : broken, step, 0.0, scale_on_device.data());
        const bool updated = update_loss_scale(host, finite);
        EXPECT_EQ(report.updated != 0, updated) << i;
        EXPECT_EQ(numbers.skip == 0, updated) << i;
        EXPECT_FLOAT_EQ(report.loss_scale, used) << i;
        EXPECT_FLOAT_EQ(scale_on_device.values().front().scale, static_cast<float>(host.scale)) << i;
        if (updated) {
            EXPECT_NEAR(report.norm, norm * 0.5 / used, 1e-6 * norm / used) << i;
            // Adam's correction counts the updates that were made.
            UpdateNumbers wanted;
            OptimizerStep made = step;
            made.step = i + 1 - left_out;
            set_update_numbers(made, wanted);
            EXPECT_FLOAT_EQ(numbers.size, wanted.size) << i;
        } else {
            ++left_out;
        }
    }
    EXPECT_EQ(counter.values().front(), 0U);
}

}  // namespace
}  // namespace rankscope::engine::cuda::test
