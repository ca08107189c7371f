// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <engine/checkpoint/safetensors.h>
#include <engine/checkpoint/snapshot.h>
#include <engine/checkpoint/tensor_record.h>
#include <engine/error.h>

#include <cstdint>
#include <functional>
#include <numeric>
#include <string>
#include <vector>

/// What the tests of checkpoints write.
namespace rankscope::engine::test {

inline std::string message_of(const std::function<void()>& action) {
    try {
        action();
    } catch (const Error& error) {
        return error.what();
    }
    return "";
}

inline TensorRecord numbers(const std::string& name, const Shape& shape, float first) {
    std::vector<float> values(static_cast<std::size_t>(element_count(shape)));
    std::iota(values.begin(), values.end(), first);
    return float_tensor(name, shape, values);
}

/// A run's state as a function of its step: a checkpoint can be checked by itself.
inline Snapshot snapshot_at(std::int64_t step, std::int64_t size = 3) {
    Snapshot snapshot;
    const auto value = static_cast<float>(step);
    snapshot.model = {numbers("conv1.weight", {2, size, 3, 3}, value), numbers("conv1.bias", {2}, value + 1),
                      numbers("bn1.running_mean", {2}, value + 2),
                      int64_scalar("bn1.num_batches_tracked", step)};
    snapshot.optimizer = {
        numbers(optimizer_tensor_name("conv1.weight", "momentum_buffer"), {2, size, 3, 3}, -value),
        numbers(optimizer_tensor_name("conv1.bias", "momentum_buffer"), {2}, -value - 1)};
    snapshot.position = {.step = step,
                         .epoch = step / 10,
                         .batch_in_epoch = step % 10,
                         .samples_in_epoch = step % 10 * 200,
                         .samples = step * 200,
                         .world_size = 2,
                         .batch_size = 100,
                         .seed = 0xFFFFFFFFFFFFFFFFULL,
                         .config_digest = "abc",
                         .best_accuracy = 0.1 * static_cast<double>(step),
                         .numbers = {{"loss_scale", 65536.0}}};
    return snapshot;
}

}  // namespace rankscope::engine::test
