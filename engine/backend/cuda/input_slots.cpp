// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <engine/backend/cuda/input_slots.h>
#include <engine/backend/cuda/smaller_batch.h>
#include <engine/error.h>

#include <algorithm>

namespace rankscope::engine::cuda {

void copy_in(const DeviceMemory& to, const PinnedMemory& from, cudaStream_t stream) {
    if (to.bytes() != 0) {
        cuda_check(cudaMemcpyAsync(to.data(), from.as<void>(), to.bytes(), cudaMemcpyHostToDevice, stream),
                   "copying a batch to the GPU");
    }
}

InputSlots::InputSlots(const Graph& graph, std::int64_t batch_size)
    : graph_(graph),
      batch_(batch_size),
      controls_(kStepSlots * sizeof(StepControl), "a step's settings", kSmallerBatch),
      outputs_(kStepSlots * sizeof(StepOutput), "a step's results", kSmallerBatch) {
    const auto batch = static_cast<std::size_t>(batch_);
    const std::string what = "a batch of " + std::to_string(batch_);
    std::size_t number = 0;
    for (InputSlot& slot : slots_) {
        slot.device_control = controls_.as<StepControl>() + number;
        slot.device_output = outputs_.as<StepOutput>() + number;
        ++number;
        slot.control = PinnedMemory(sizeof(StepControl), what);
        slot.output = PinnedMemory(sizeof(StepOutput), what);
        if (graph_.drops()) {
            slot.keys = PinnedMemory(batch * sizeof(std::uint64_t), what);
            slot.device_keys = DeviceMemory(batch * sizeof(std::uint64_t), what, kSmallerBatch);
            std::fill_n(slot.keys.as<std::uint64_t>(), batch, std::uint64_t{0});
        }
        if (graph_.classifies()) {
            const std::size_t bytes = batch * static_cast<std::size_t>(graph_.rows) * sizeof(std::int32_t);
            slot.labels = PinnedMemory(bytes, what);
            slot.device_labels = DeviceMemory(bytes, what, kSmallerBatch);
        } else {
            const std::size_t bytes = batch * static_cast<std::size_t>(graph_.classes) * sizeof(float);
            slot.targets = PinnedMemory(bytes, what);
            slot.device_targets = DeviceMemory(bytes, what, kSmallerBatch);
        }
    }
}

InputSlot* InputSlots::earliest_open() {
    // The slot that is filled next is the one that was used longest ago.
    for (std::size_t i = 0; i < slots_.size(); ++i) {
        InputSlot& slot = slots_[(next_ + i) % slots_.size()];
        if (slot.has_result) {
            return &slot;
        }
    }
    return nullptr;
}

std::size_t InputSlots::sample_elements() const {
    return static_cast<std::size_t>(batch_ * element_count(graph_.values[kInputValue].shape));
}

std::span<float> InputSlots::floats() {
    InputSlot& to = current();
    if (to.floats.bytes() == 0) {
        const std::string what = "the samples of a batch of " + std::to_string(batch_);
        for (InputSlot& slot : slots_) {
            slot.floats = PinnedMemory(sample_elements() * sizeof(float), what);
            slot.device_floats = DeviceMemory(sample_elements() * sizeof(float), what, kSmallerBatch);
        }
    }
    to.copied.wait();
    return {to.floats.as<float>(), sample_elements()};
}

std::span<std::uint8_t> InputSlots::bytes() {
    InputSlot& to = current();
    if (to.bytes.bytes() == 0) {
        const std::string what = "the samples of a batch of " + std::to_string(batch_);
        for (InputSlot& slot : slots_) {
            slot.bytes = PinnedMemory(sample_elements(), what);
            slot.device_bytes = DeviceMemory(sample_elements(), what, kSmallerBatch);
        }
    }
    to.copied.wait();
    return {to.bytes.as<std::uint8_t>(), sample_elements()};
}

std::span<ImageWindow> InputSlots::windows() {
    InputSlot& to = current();
    const auto batch = static_cast<std::size_t>(batch_);
    if (to.windows.bytes() == 0) {
        const std::string what = "the windows of a batch of " + std::to_string(batch_);
        for (InputSlot& slot : slots_) {
            slot.windows = PinnedMemory(batch * sizeof(ImageWindow), what);
            slot.device_windows = DeviceMemory(batch * sizeof(ImageWindow), what, kSmallerBatch);
        }
    }
    to.copied.wait();
    return {to.windows.as<ImageWindow>(), batch};
}

std::span<std::int32_t> InputSlots::labels() {
    current().copied.wait();
    return {current().labels.as<std::int32_t>(), current().labels.bytes() / sizeof(std::int32_t)};
}

std::span<float> InputSlots::targets() {
    current().copied.wait();
    return {current().targets.as<float>(), current().targets.bytes() / sizeof(float)};
}

std::span<std::uint64_t> InputSlots::keys() {
    current().copied.wait();
    return {current().keys.as<std::uint64_t>(), current().keys.bytes() / sizeof(std::uint64_t)};
}

void InputSlots::check(SampleForm form, std::int64_t images) {
    const InputSlot& slot = current();
    const auto* labels = slot.labels.as<std::int32_t>();
    for (std::int64_t i = 0; graph_.classifies() && i < batch_ * graph_.rows; ++i) {
        if (labels[i] < 0 || labels[i] >= graph_.classes) {
            throw Error((graph_.predicts_tokens() ? "row " : "sample ") + std::to_string(i) +
                        " of the batch has label " + std::to_string(labels[i]) +
                        ", but the model has the classes 0 to " + std::to_string(graph_.classes - 1));
        }
    }
    const auto* windows = slot.windows.as<ImageWindow>();
    for (std::int64_t i = 0; form == SampleForm::windows && i < batch_; ++i) {
        if (windows[i].image < 0 || windows[i].image >= images) {
            throw Error("sample " + std::to_string(i) + " of the batch is image " +
                        std::to_string(windows[i].image) + ", but there are " + std::to_string(images));
        }
    }
}

void InputSlots::upload(SampleForm form, cudaStream_t stream) {
    InputSlot& slot = current();
    switch (form) {
        case SampleForm::floats:
            floats();  // there, even if it was not filled
            copy_in(slot.device_floats, slot.floats, stream);
            break;
        case SampleForm::bytes:
            bytes();
            copy_in(slot.device_bytes, slot.bytes, stream);
            break;
        case SampleForm::windows:
            windows();
            copy_in(slot.device_windows, slot.windows, stream);
            break;
    }
    copy_in(slot.device_labels, slot.labels, stream);
    copy_in(slot.device_targets, slot.targets, stream);
    copy_in(slot.device_keys, slot.keys, stream);
    auto& control = *slot.control.as<StepControl>();
    control.floats = slot.device_floats.as<float>();
    control.bytes = slot.device_bytes.as<std::uint8_t>();
    control.windows = slot.device_windows.as<ImageWindow>();
    control.labels = slot.device_labels.as<std::int32_t>();
    control.targets = slot.device_targets.as<float>();
    control.keys = slot.device_keys.as<std::uint64_t>();
    cuda_check(
        cudaMemcpyAsync(slot.device_control, &control, sizeof(control), cudaMemcpyHostToDevice, stream),
        "copying a step's settings to the GPU");
    slot.copied.record(stream);
}

std::size_t InputSlots::device_bytes() const {
    std::size_t sum = 0;
    for (const InputSlot& slot : slots_) {
        sum += slot.device_floats.bytes() + slot.device_bytes.bytes() + slot.device_windows.bytes() +
               slot.device_labels.bytes() + slot.device_targets.bytes() + slot.device_keys.bytes();
    }
    return sum;
}

}  // namespace rankscope::engine::cuda
