// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <engine/backend/cuda/device_memory.h>
#include <engine/backend/cuda/step_state.h>
#include <engine/backend/cuda/stream.h>
#include <engine/graph/graph.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace rankscope::engine::cuda {

/// Where a batch is gathered, and its way to the GPU.
struct InputSlot {
    PinnedMemory floats, bytes, windows, labels, targets, keys, control, output;
    DeviceMemory device_floats, device_bytes, device_windows, device_labels, device_targets, device_keys;
    StepControl* device_control = nullptr;  ///< in memory of all slots
    StepOutput* device_output = nullptr;
    Event copied;    ///< samples and settings are on the GPU: the host may write again
    Event ran;       ///< the step has run
    Event finished;  ///< … and its output is in host memory
    bool has_result = false;
    std::int64_t update = 0;  ///< OptimizerStep::step of the update that the step ends in; 0: none
    bool norm_wanted = false;
};

/// The slots of an executable: two, so that one is filled while the other is used. Memory for a form of samples
/// is allocated at its first use.
class InputSlots {
public:
    InputSlots(const Graph& graph, std::int64_t batch);

    /// Results of all slots, kStepSlots of them.
    StepOutput* outputs() const { return outputs_.as<StepOutput>(); }
    /// The slot that is filled next.
    InputSlot& current() { return slots_[next_]; }
    void advance() { next_ = (next_ + 1) % slots_.size(); }
    /// The slot of the earliest step whose result was not read; null: there is none.
    InputSlot* earliest_open();

    // Host memory of the current slot, once the GPU has read what was there.
    std::span<float> floats();
    std::span<std::uint8_t> bytes();
    std::span<ImageWindow> windows();
    std::span<std::int32_t> labels();
    std::span<float> targets();
    std::span<std::uint64_t> keys();

    /// Throws Error for a label or, with windows, an image of the current slot that does not exist.
    void check(SampleForm form, std::int64_t images);
    /// Enqueues the copies of the current slot, with its settings, to the GPU; `copied` follows them.
    void upload(SampleForm form, cudaStream_t stream);
    /// Bytes of GPU memory.
    std::size_t device_bytes() const;

private:
    std::size_t sample_elements() const;

    const Graph& graph_;
    std::int64_t batch_;
    DeviceMemory controls_;
    DeviceMemory outputs_;
    std::array<InputSlot, kStepSlots> slots_;
    std::size_t next_ = 0;
};

/// Enqueues the copy of all of it; nothing where `to` is empty.
void copy_in(const DeviceMemory& to, const PinnedMemory& from, cudaStream_t stream);

}  // namespace rankscope::engine::cuda
