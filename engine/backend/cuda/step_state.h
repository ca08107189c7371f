// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <engine/backend/backend.h>
#include <engine/backend/cuda/input.h>
#include <engine/backend/cuda/loss.h>
#include <engine/backend/cuda/optimizer.h>
#include <engine/tensor/sample_form.h>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace rankscope::engine::cuda {

/// What differs from step to step, in device memory: copied there beside the step before, read by the step's
/// kernels. A recorded graph stays the same; there is one for each slot.
struct StepControl {
    const float* floats = nullptr;  ///< one of the three, as SampleForm says
    const std::uint8_t* bytes = nullptr;
    const ImageWindow* windows = nullptr;
    const std::int32_t* labels = nullptr;
    const float* targets = nullptr;
    const std::uint64_t* keys = nullptr;  ///< of the samples, for dropout
    float one = 1.0F;                     ///< a loss scale that scales nothing
    UpdateNumbers update;
};

/// What a step gives, in device memory.
struct StepOutput {
    LossTotals totals;
    UpdateReport update;
};

/// One step's input, settings and results are prepared or read while another one runs.
inline constexpr std::size_t kStepSlots = 2;

/// A parameter's addresses.
struct ParameterPlace {
    const void* kernel = nullptr;   ///< in the kernels' type
    const float* weight = nullptr;  ///< the master copy
    float* gradient = nullptr;
    void* half_gradient =
        nullptr;  ///< as a 16-bit convolution gives it; null where kernels compute in floats
    std::size_t floats = 0;
};

/// What the operations of a step find outside it. Lives as long as the executable; operations look at it when
/// they are enqueued.
struct StepState {
    SampleForm form = SampleForm::floats;
    StepControl* control = nullptr;     ///< device; of the slot whose operations are enqueued
    StepOutput* output = nullptr;       ///< device; likewise
    StepOutput* outputs = nullptr;      ///< of all slots, kStepSlots of them
    const float* loss_scale = nullptr;  ///< device; what the loss's gradient is multiplied by
    KeptImages images{};
    const float* pixel_table = nullptr;  ///< device
    EnqueueSum enqueue_sum;              ///< set: batch norms are synchronised
    IndexedVector<ParameterId, ParameterPlace> parameters;
    IndexedVector<StatisticId, float*> statistics;  ///< null for batches_tracked
};

}  // namespace rankscope::engine::cuda
