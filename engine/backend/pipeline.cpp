// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <engine/backend/pipeline.h>
#include <engine/backend/step_parts.h>
#include <engine/graph/pipeline_schedule.h>

#include <algorithm>
#include <chrono>
#include <cmath>

namespace rankscope::engine {
namespace {

using Clock = std::chrono::steady_clock;

double ms_since(Clock::time_point from) {
    return std::chrono::duration<double, std::milli>(Clock::now() - from).count();
}

/// Its length. What a pass waits for comes before it.
double note_pass(StepTimes& times, const PipelineAction& action, Clock::time_point begin, double waited_ms) {
    const double length_ms = ms_since(begin) - waited_ms;
    times.passes.push_back({.micro_batch = action.micro_batch,
                            .forward = action.forward,
                            .begin = begin + std::chrono::duration_cast<Clock::duration>(
                                                 std::chrono::duration<double, std::milli>(waited_ms)),
                            .length_ms = length_ms});
    return length_ms;
}

}  // namespace

std::vector<Pipeline::Part> Pipeline::parts_of(std::int64_t batch_size) const {
    std::vector<Part> parts;
    std::int64_t begin = 0;
    for (const std::int64_t size : micro_batch_sizes(batch_size, options_.micro_batches)) {
        parts.push_back({.begin = begin, .size = size});
        begin += size;
    }
    return parts;
}

Executable& Pipeline::load(const Batch& batch, const Part& part, std::size_t copy, double* waited_ms) {
    Executable& executable = model_.executable(part.size, copy);
    const std::span<float> input = executable.input();
    if (groups().first()) {
        const auto begin =
            static_cast<std::size_t>(part.begin) * (input.size() / static_cast<std::size_t>(part.size));
        std::copy_n(batch.pixels.begin() + static_cast<std::ptrdiff_t>(begin), input.size(), input.begin());
    } else {
        const auto wait = Clock::now();
        groups().receive_forward(input);
        *waited_ms += ms_since(wait);
    }
    load_labels(batch, part.begin, executable);
    return executable;
}

void Pipeline::add(const BatchResult& part, double share, BatchResult& whole) {
    whole.loss += part.loss * share;
    whole.correct += part.correct;
    whole.correct_topk += part.correct_topk;
}

BatchResult Pipeline::train(const Batch& batch, const std::function<void(const Backward&)>& backward,
                            StepTimes& times) {
    const std::vector<Part> parts = parts_of(batch.size());
    const auto count = static_cast<std::int64_t>(parts.size());
    const std::int64_t copies =
        kept_micro_batches(options_.order, groups().stage(), groups().stages(), count);
    const auto copy_of = [&](std::int64_t micro_batch) {
        return static_cast<std::size_t>(micro_batch % copies);
    };
    const auto share_of = [&](const Part& part) {
        return static_cast<double>(part.size) / static_cast<double>(batch.size());
    };
    BatchResult whole{.elsewhere = !groups().last()};
    times.passes.clear();
    for (const PipelineAction& action :
         pipeline_actions(options_.order, groups().stage(), groups().stages(), count)) {
        const auto begin = Clock::now();
        double waited_ms = 0;
        const Part& part = parts[static_cast<std::size_t>(action.micro_batch)];
        if (action.forward) {
            Executable& executable = load(batch, part, copy_of(action.micro_batch), &waited_ms);
            const BatchResult result = executable.forward(ForwardMode::train);
            if (groups().last()) {
                if (!std::isfinite(result.loss)) {
                    fail_not_finite(&executable, result.loss);
                }
                add(result, share_of(part), whole);
            } else {
                groups().send_forward(executable.handed_over());
            }
            times.forward_ms += note_pass(times, action, begin, waited_ms);
        } else {
            Executable& executable = model_.executable(part.size, copy_of(action.micro_batch));
            if (!groups().last()) {
                const auto wait = Clock::now();
                groups().receive_backward(executable.handed_over_gradient());
                waited_ms += ms_since(wait);
            }
            backward({.executable = executable,
                      .share = share_of(part),
                      .first = action.micro_batch == 0,
                      .last = action.micro_batch + 1 == count});
            if (!groups().first()) {
                groups().send_backward(executable.input_gradient());
            }
            times.backward_ms += note_pass(times, action, begin, waited_ms);
        }
        times.bubble_ms += waited_ms;
    }
    return whole;
}

BatchResult Pipeline::evaluate(const Batch& batch) {
    BatchResult whole{.elsewhere = !groups().last()};
    double waited_ms = 0;
    for (const Part& part : parts_of(batch.size())) {
        Executable& executable = load(batch, part, 0, &waited_ms);
        const BatchResult result = executable.forward(ForwardMode::evaluate);
        if (groups().last()) {
            add(result, static_cast<double>(part.size) / static_cast<double>(batch.size()), whole);
        } else {
            groups().send_forward(executable.handed_over());
        }
    }
    return whole;
}

void Pipeline::prepare(std::int64_t batch_size) {
    const std::vector<Part> parts = parts_of(batch_size);
    const std::int64_t copies = kept_micro_batches(options_.order, groups().stage(), groups().stages(),
                                                   static_cast<std::int64_t>(parts.size()));
    for (std::int64_t copy = 0; copy < copies; ++copy) {
        model_.executable(parts.front().size, static_cast<std::size_t>(copy));
    }
}

}  // namespace rankscope::engine
