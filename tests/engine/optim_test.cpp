// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

// Optimizers, schedules and clipping: beside PyTorch (data/make_torch_optim.py) and beside slow twins.

#include <base/config/lr_schedule.h>
#include <engine/optim/decay_ranges.h>
#include <engine/optim/gradient_clip.h>
#include <engine/optim/loss_scale.h>
#include <engine/optim/optimizer_update.h>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <cmath>
#include <fstream>
#include <limits>
#include <random>

namespace rankscope::engine::test {
namespace {

using config::Anneal;
using config::LrPolicy;
using config::LrSchedule;
using config::OneCycleOptions;
using config::scaled_lr;
using config::ScheduledRate;
using nlohmann::json;

const json& torch_optim() {
    static const json values = json::parse(std::ifstream(RANKSCOPE_TEST_DATA "/torch_optim.json"));
    return values;
}

std::vector<float> gradient(int t) {
    const auto time = static_cast<float>(t);
    return {0.1F * (time + 1), -0.3F, 0.7F - 0.2F * time, 0.0F, 1e-5F * (1 - time)};
}

OptimizerKind kind_of(const std::string& name) {
    return name == "sgd" ? OptimizerKind::sgd : name == "adam" ? OptimizerKind::adam : OptimizerKind::adamw;
}

OptimizerStep step_of(const std::string& name, const json& options) {
    OptimizerStep step;
    step.kind = kind_of(name);
    step.lr = options["lr"];
    step.momentum = options.value("momentum", 0.0);
    step.dampening = options.value("dampening", 0.0);
    step.weight_decay = options.value("weight_decay", 0.0);
    step.nesterov = options.value("nesterov", false);
    if (options.contains("betas")) {
        step.beta1 = options["betas"][0];
        step.beta2 = options["betas"][1];
    }
    step.eps = options.value("eps", 1e-8);
    return step;
}

TEST(Optimizer, EqualsPyTorch) {
    for (const json& expected : torch_optim()["updates"]) {
        OptimizerStep step = step_of(expected["optimizer"], expected["options"]);
        std::vector<float> parameters = torch_optim()["start"];
        std::vector<float> first(parameters.size());
        std::vector<float> second(parameters.size());
        for (std::size_t t = 0; t < expected["steps"].size(); ++t) {
            step.step = static_cast<std::int64_t>(t) + 1;
            optimizer_update(step, true, gradient(static_cast<int>(t)), parameters, {first, second});
            for (std::size_t i = 0; i < parameters.size(); ++i) {
                const float value = expected["steps"][t][i];
                EXPECT_NEAR(parameters[i], value, 1e-6F * (std::abs(value) + 0.1F))
                    << expected["optimizer"] << " " << expected["options"] << " step " << t << " element "
                    << i;
            }
        }
        for (int index = 0; index < optimizer_state_count(step.kind, step.momentum); ++index) {
            const std::vector<float> state = expected["state"][optimizer_state_name(step.kind, index)];
            for (std::size_t i = 0; i < state.size(); ++i) {
                EXPECT_NEAR((index == 0 ? first : second)[i], state[i], 1e-6F * (std::abs(state[i]) + 1e-3F));
            }
        }
    }
}

/// The same arithmetic in double, one element after the other.
struct SlowTwin {
    std::vector<double> p, m, v;

    void update(const OptimizerStep& step, bool decayed, const std::vector<float>& gradients) {
        const double decay = decayed ? step.weight_decay : 0.0;
        for (std::size_t i = 0; i < p.size(); ++i) {
            double g = gradients[i] * step.gradient_scale;
            if (step.clip_value > 0) {
                g = std::clamp(g, -step.clip_value, step.clip_value);
            }
            if (step.kind == OptimizerKind::sgd) {
                g += decay * p[i];
                if (step.momentum != 0) {
                    m[i] = step.step == 1 ? g : step.momentum * m[i] + (1 - step.dampening) * g;
                    g = step.nesterov ? g + step.momentum * m[i] : m[i];
                }
                p[i] -= step.lr * g;
                continue;
            }
            if (step.kind == OptimizerKind::adamw) {
                p[i] *= 1 - step.lr * decay;
            } else {
                g += decay * p[i];
            }
            m[i] = step.beta1 * m[i] + (1 - step.beta1) * g;
            v[i] = step.beta2 * v[i] + (1 - step.beta2) * g * g;
            const double number = static_cast<double>(step.step);
            const double m_hat = m[i] / (1 - std::pow(step.beta1, number));
            const double v_hat = v[i] / (1 - std::pow(step.beta2, number));
            p[i] -= step.lr * m_hat / (std::sqrt(v_hat) + step.eps);
        }
    }
};

std::vector<float> noise(std::size_t size, unsigned seed) {
    std::mt19937 random(seed);
    std::normal_distribution<float> normal;
    std::vector<float> values(size);
    for (float& value : values) {
        value = normal(random);
    }
    return values;
}

TEST(Optimizer, EqualsItsSlowTwinAtAwkwardSizesWithScaleLimitAndNoDecay) {
    std::vector<OptimizerStep> steps(6);
    steps[1].momentum = 0.9;
    steps[1].nesterov = true;
    steps[2].momentum = 0.7;
    steps[2].dampening = 0.5;
    steps[3].kind = OptimizerKind::adam;
    steps[4].kind = OptimizerKind::adamw;
    steps[5].kind = OptimizerKind::adamw;
    steps[5].beta1 = 0.0;
    for (OptimizerStep step : steps) {
        step.lr = 0.01;
        step.weight_decay = 0.1;
        step.gradient_scale = 0.25;
        step.clip_value = 0.3;
        for (const std::size_t size : {1U, 15U, 16U, 1003U}) {
            for (const bool decayed : {true, false}) {
                std::vector<float> p = noise(size, 1);
                std::vector<float> first(size), second(size);
                SlowTwin twin{{p.begin(), p.end()}, std::vector<double>(size), std::vector<double>(size)};
                for (step.step = 1; step.step <= 4; ++step.step) {
                    const std::vector<float> g = noise(size, static_cast<unsigned>(step.step) + 7);
                    optimizer_update(step, decayed, g, p, {first, second});
                    twin.update(step, decayed, g);
                }
                for (std::size_t i = 0; i < size; ++i) {
                    ASSERT_NEAR(p[i], twin.p[i], 2e-6)
                        << "kind " << static_cast<int>(step.kind) << " size " << size;
                }
            }
        }
    }
}

TEST(Optimizer, RangeByRangeIsBitForBitTheWhole) {
    for (const OptimizerKind kind : {OptimizerKind::sgd, OptimizerKind::adam, OptimizerKind::adamw}) {
        OptimizerStep step;
        step.kind = kind;
        step.momentum = 0.9;
        step.weight_decay = 0.01;
        const std::vector<float> g = noise(1000, 3);
        std::vector<float> whole = noise(1000, 4), pieces = whole;
        std::vector<float> m(1000), v(1000), pm(1000), pv(1000);
        for (step.step = 1; step.step <= 3; ++step.step) {
            optimizer_update(step, true, g, whole, {m, v});
            for (const auto& [begin, size] :
                 {std::pair<std::size_t, std::size_t>{0, 7}, {7, 600}, {607, 393}}) {
                const auto part = [&](std::vector<float>& values) {
                    return std::span(values).subspan(begin, size);
                };
                optimizer_update(step, true, std::span(g).subspan(begin, size), part(pieces),
                                 {part(pm), part(pv)});
            }
        }
        EXPECT_EQ(whole, pieces);
    }
}

TEST(Optimizer, PaddingStaysZero) {
    for (const OptimizerKind kind : {OptimizerKind::sgd, OptimizerKind::adam, OptimizerKind::adamw}) {
        OptimizerStep step;
        step.kind = kind;
        step.weight_decay = 0.1;
        std::vector<float> p(3), m(3), v(3);
        EXPECT_TRUE(optimizer_update(step, true, std::vector<float>{0, 1, 0}, p, {m, v}));
        EXPECT_EQ(p[0], 0.0F);
        EXPECT_NE(p[1], 0.0F);
        EXPECT_EQ(p[2], 0.0F);
    }
}

TEST(Optimizer, LeavesWeightsWhereAGradientIsNotFinite) {
    constexpr std::size_t kCount = 20000;
    for (const OptimizerKind kind : {OptimizerKind::sgd, OptimizerKind::adam, OptimizerKind::adamw}) {
        for (const float bad :
             {std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity()}) {
            OptimizerStep step;
            step.kind = kind;
            step.momentum = 0.9;
            std::vector<float> g(kCount, 0.5F), p(kCount, 1.0F), m(kCount), v(kCount);
            g[12345] = bad;
            EXPECT_FALSE(optimizer_update(step, true, g, p, {m, v}));
            for (const std::vector<float>& values : {p, m, v}) {
                EXPECT_TRUE(
                    std::all_of(values.begin(), values.end(), [](float x) { return std::isfinite(x); }));
            }
            EXPECT_EQ(p[12345], 1.0F);
            EXPECT_NE(p[0], 1.0F) << "the others are updated";
        }
    }
}

// torch.nn.utils.clip_grad_value_ makes a finite gradient of an infinite one.
TEST(Optimizer, AValueLimitMakesAnInfiniteGradientFinite) {
    OptimizerStep step;
    step.lr = 0.5;
    step.clip_value = 1.0;
    std::vector<float> p(1, 1.0F);
    EXPECT_TRUE(
        optimizer_update(step, true, std::vector<float>{std::numeric_limits<float>::infinity()}, p, {}));
    EXPECT_EQ(p[0], 0.5F);
}

TEST(DecayRanges, MergesNeighboursAndCoversTheGaps) {
    // Storage runs backwards, as the engine's does: last parameter first.
    const std::vector<DecaySlot> slots{{40, 10, true}, {30, 3, false}, {16, 8, false}, {0, 10, true}};
    EXPECT_EQ(decay_ranges(slots, 64),
              (std::vector<DecayRange>{{0, 16, true}, {16, 24, false}, {40, 24, true}}));
    const std::vector<DecaySlot> same{{40, 10, true}, {0, 10, true}};
    EXPECT_EQ(decay_ranges(same, 64), (std::vector<DecayRange>{{0, 64, true}}));
    EXPECT_TRUE(decay_ranges({}, 0).empty());
}

TEST(Clipping, EqualsPyTorch) {
    for (const json& expected : torch_optim()["clipping"]) {
        std::vector<float> g = gradient(1);
        for (float& value : g) {
            value *= expected["scale"].get<float>();
        }
        const double norm = std::sqrt(sum_of_squares(g));
        EXPECT_NEAR(norm, expected["total"].get<double>(), 1e-6);
        const double scale = clip_scale(norm, expected["max_norm"]);
        for (std::size_t i = 0; i < g.size(); ++i) {
            EXPECT_NEAR(g[i] * scale, expected["clipped"][i].get<double>(), 1e-6);
        }
    }
}

TEST(Clipping, SumOfSquaresOfManyValues) {
    for (const std::size_t size : {0U, 1U, 31U, 4097U, 1'000'003U}) {
        const std::vector<float> values = noise(size, 5);
        double expected = 0;
        for (const float value : values) {
            expected += static_cast<double>(value) * value;
        }
        EXPECT_NEAR(sum_of_squares(values), expected, 1e-6 * expected) << size;
    }
    std::vector<float> values(100, 1.0F);
    values[50] = std::numeric_limits<float>::infinity();
    EXPECT_EQ(sum_of_squares(values), std::numeric_limits<double>::infinity());
    values[51] = std::numeric_limits<float>::quiet_NaN();
    EXPECT_TRUE(std::isnan(sum_of_squares(values)));
    EXPECT_TRUE(std::isnan(clip_scale(std::nan(""), 1.0)));
}

TEST(LossScale, HalvesOnOverflowAndDoublesAfterAWhile) {
    LossScale loss{.growth_interval = 3};
    EXPECT_FALSE(update_loss_scale(loss, false));
    EXPECT_EQ(loss.scale, 32768.0);
    EXPECT_TRUE(update_loss_scale(loss, true));
    EXPECT_TRUE(update_loss_scale(loss, true));
    EXPECT_EQ(loss.scale, 32768.0);
    EXPECT_TRUE(update_loss_scale(loss, true));
    EXPECT_EQ(loss.scale, 65536.0);
}

LrSchedule schedule_of(const json& expected) {
    LrSchedule schedule;
    schedule.lr = expected["lr"];
    if (expected["kind"] == "one_cycle") {
        const json& options = expected["options"];
        OneCycleOptions& cycle = schedule.one_cycle;
        schedule.policy = LrPolicy::one_cycle;
        cycle.pct_start = options.value("pct_start", cycle.pct_start);
        cycle.anneal = options.value("anneal_strategy", "cos") == "cos" ? Anneal::cosine : Anneal::linear;
        cycle.div_factor = options.value("div_factor", cycle.div_factor);
        cycle.final_div_factor = options.value("final_div_factor", cycle.final_div_factor);
        cycle.three_phase = options.value("three_phase", false);
        cycle.cycle_momentum = options.value("cycle_momentum", true);
        cycle.base_momentum = options.value("base_momentum", cycle.base_momentum);
        cycle.max_momentum = options.value("max_momentum", cycle.max_momentum);
    } else if (expected["kind"] == "cosine") {
        schedule.policy = LrPolicy::cosine;
        schedule.min_lr_factor = expected["eta_min"].get<double>() / schedule.lr;
    } else {
        schedule.policy = LrPolicy::steps;
        schedule.milestones = expected["milestones"].get<std::vector<double>>();
        schedule.gamma = expected["gamma"];
    }
    return schedule;
}

TEST(LrSchedule, EqualsPyTorch) {
    for (const json& expected : torch_optim()["schedules"]) {
        const LrSchedule schedule = schedule_of(expected);
        const std::int64_t per_epoch = expected.value("steps_per_epoch", 1);
        for (std::size_t i = 0; i < expected["lrs"].size(); ++i) {
            const auto step = static_cast<std::int64_t>(i);
            const ScheduledRate rate =
                scheduled_rate(schedule, {step / per_epoch, step % per_epoch, per_epoch, expected["epochs"]});
            const double lr = expected["lrs"][i];
            EXPECT_NEAR(rate.lr, lr, 1e-12 + 1e-9 * lr) << expected["kind"] << " step " << i;
            if (rate.momentum) {
                EXPECT_NEAR(*rate.momentum, expected["momenta"][i].get<double>(), 1e-12);
            }
        }
    }
}

double at(const LrSchedule& schedule, std::int64_t epoch, std::int64_t step = 0, std::int64_t per_epoch = 10,
          std::int64_t epochs = 100) {
    return scheduled_rate(schedule, {epoch, step, per_epoch, epochs}).lr;
}

// The rates that Distribuuuu's defaults give (BASE_LR 0.2, cos, 5 warm-up epochs from a tenth, 100 epochs).
TEST(LrSchedule, DistribuuuusDefaults) {
    LrSchedule schedule;
    schedule.policy = LrPolicy::cosine;
    schedule.lr = 0.2;
    schedule.warmup_epochs = 5;
    for (const auto& [epoch, lr] : std::vector<std::pair<std::int64_t, double>>{{0, 0.02},
                                                                                {1, 0.05598618},
                                                                                {2, 0.09190923},
                                                                                {3, 0.12771597},
                                                                                {4, 0.16335341},
                                                                                {5, 0.19876883},
                                                                                {10, 0.19510565},
                                                                                {25, 0.17071068},
                                                                                {50, 0.1},
                                                                                {75, 0.02928932},
                                                                                {90, 0.00489435},
                                                                                {99, 0.00004934}}) {
        EXPECT_NEAR(at(schedule, epoch), lr, 5e-9) << epoch;
        EXPECT_EQ(at(schedule, epoch, 7), at(schedule, epoch)) << "by epoch: the same within one";
    }
    schedule.min_lr_factor = 0.1;
    EXPECT_NEAR(at(schedule, 50), 0.2 * (0.9 * 0.5 + 0.1), 1e-12);
}

TEST(LrSchedule, ByStepMovesWithinTheEpoch) {
    LrSchedule schedule;
    schedule.policy = LrPolicy::cosine;
    schedule.lr = 1.0;
    schedule.by_step = true;
    EXPECT_NEAR(at(schedule, 49, 5, 10, 99), 0.5, 1e-12);  // half-way
    schedule.policy = LrPolicy::constant;
    schedule.warmup_epochs = 2;
    EXPECT_NEAR(at(schedule, 1, 0), 0.55, 1e-12);
    EXPECT_NEAR(at(schedule, 1, 5), 0.775, 1e-12);
    EXPECT_EQ(at(schedule, 2, 0), 1.0);
}

TEST(LrSchedule, WarmUpInStepsMovesEvenWhenThePolicyGoesByEpoch) {
    LrSchedule schedule;
    schedule.lr = 1.0;
    schedule.warmup_steps = 20;
    schedule.warmup_factor = 0.0;
    EXPECT_EQ(at(schedule, 0, 0), 0.0);
    EXPECT_NEAR(at(schedule, 1, 5), 0.75, 1e-12);
    EXPECT_EQ(at(schedule, 2, 0), 1.0);
}

TEST(LrSchedule, ARunOfOneStepHasARate) {
    LrSchedule schedule;
    schedule.policy = LrPolicy::one_cycle;
    EXPECT_TRUE(std::isfinite(at(schedule, 0, 0, 1, 1)));
}

TEST(LrSchedule, LinearScaling) {
    EXPECT_DOUBLE_EQ(scaled_lr(0.1, 1024, 256), 0.4);
    EXPECT_DOUBLE_EQ(scaled_lr(0.1, 64, 128), 0.05);
}

}  // namespace
}  // namespace rankscope::engine::test
