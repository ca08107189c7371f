// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <engine/tensor/element_type.h>

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>

/// The losses with their gradient and the hits in one kernel, on logits [batch][width] in device memory.
namespace rankscope::engine::cuda {

struct LossShape {
    int batch = 0;
    int classes = 0;
    int width = 0;  ///< classes with the padding, whose gradient is 0
    int topk = 1;
    float label_smoothing = 0.0F;
    ElementType gradient_type = ElementType::f32;
};

/// What one batch gave, in device memory.
struct LossTotals {
    double loss = 0.0;  ///< mean
    int correct = 0;
    int correct_topk = 0;
};

/// Room for the rows' shares (bytes), and a counter that is 0 before the first use and 0 again after every
/// one.
struct LossScratch {
    void* rows = nullptr;
    unsigned* counter = nullptr;
};
std::size_t loss_scratch_bytes(int batch);

/// Softmax cross-entropy. `gradient` (of the mean loss times *loss_scale) may be null: evaluation. With
/// smoothing s the target is (1−s) at the label plus s/classes everywhere (torch.nn.CrossEntropyLoss). A
/// label counts among the top k when fewer than k logits are larger. Labels must be in [0, classes).
/// `labels` and `loss_scale` are read through a pointer in device memory, so that a recorded graph can be
/// given others.
void cross_entropy(const LossShape& shape, const float* logits, const std::int32_t* const* labels,
                   const float* loss_scale, void* gradient, LossTotals* totals, const LossScratch& scratch,
                   cudaStream_t stream);

/// Mean of (output − target)² over batch and classes; targets [batch][classes].
void mean_squared_error(const LossShape& shape, const float* outputs, const float* const* targets,
                        const float* loss_scale, void* gradient, LossTotals* totals,
                        const LossScratch& scratch, cudaStream_t stream);

}  // namespace rankscope::engine::cuda
