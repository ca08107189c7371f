// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <engine/backend/cuda/channel_groups.h>
#include <engine/tensor/element_type.h>

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>

/// Batch normalisation of images stored channels last, seen as a matrix [rows][channels], with the addition
/// and the ReLU that may follow it (Ioffe, Szegedy: arXiv 1502.03167). Two passes forward (statistics,
/// apply), two backward (sums, apply). Sums are added in an order that depends on the shape alone. Every
/// pointer is device memory; vectors are float [channels].
namespace rankscope::engine::cuda {

struct BatchNormShape {
    std::int64_t rows = 0;  ///< batch · height · width
    int channels = 0;       ///< a multiple of kGroup
    ElementType type = ElementType::f32;
};

struct BatchNormVectors {
    const float* weight = nullptr;
    const float* bias = nullptr;
    float* running_mean = nullptr;
    float* running_var = nullptr;
    float* mean = nullptr;     ///< of the batch
    float* inv_std = nullptr;  ///< 1 / √(variance + epsilon)
    float* scale = nullptr;    ///< the result is scale · (x − mean) + bias
    float epsilon = 1e-5F;
    float momentum = 0.1F;
};

/// Room for partial sums, and counters that are 0 before the first use and 0 again after every one.
struct BatchNormScratch {
    float* partials = nullptr;
    unsigned* counters = nullptr;
};
std::size_t batch_norm_partials(const BatchNormShape& shape);  ///< floats
std::size_t batch_norm_counters(const BatchNormShape& shape);

/// Sums over all ranks, for a synchronised batch norm: [2 · channels + 1] doubles, the last one the number of
/// rows. To be added up over the ranks between ..._sums() and ..._finish().
std::size_t batch_norm_sums(const BatchNormShape& shape);

/// Mean, inv_std and scale of the batch; running statistics move on.
void batch_norm_statistics(const BatchNormShape& shape, const void* x, const BatchNormVectors& vectors,
                           const BatchNormScratch& scratch, cudaStream_t stream);
/// The same in two parts: x and x² added up, then everything made of the sums of all ranks.
void batch_norm_statistics_sums(const BatchNormShape& shape, const void* x, double* sums,
                                const BatchNormScratch& scratch, cudaStream_t stream);
void batch_norm_statistics_finish(const BatchNormShape& shape, const double* sums,
                                  const BatchNormVectors& vectors, cudaStream_t stream);
/// Mean and scale from the running statistics: evaluation.
void batch_norm_evaluation(const BatchNormShape& shape, const BatchNormVectors& vectors, cudaStream_t stream);

/// y = scale · (x − mean) + bias (+ residual), clamped at 0 if requested. `residual` may be null.
void batch_norm_apply(const BatchNormShape& shape, const void* x, const void* residual, bool relu,
                      const BatchNormVectors& vectors, void* y, cudaStream_t stream);

/// What arrives from the readers of the result: added up, then masked where the ReLU had cut off.
struct GradientParts {
    static constexpr int kMost = 4;
    const void* parts[kMost] = {};
    int count = 0;
};

struct BatchNormBackward {
    const void* x = nullptr;
    /// The forward result, which gives the ReLU's mask; null: the mask is recomputed from x (no residual), or
    /// there is no ReLU.
    const void* y = nullptr;
    bool relu = false;
    GradientParts gradient;
    /// The masked sum, for the residual's branch; null: not wanted, there is one part only. May be dx.
    void* masked = nullptr;
    void* dx = nullptr;
    float* weight_gradient = nullptr;
    float* bias_gradient = nullptr;
    float* coefficients = nullptr;  ///< scratch, [3 · channels]
};

/// Gradients of weight and bias, the masked sum, and the coefficients for ..._backward_apply().
void batch_norm_backward_sums(const BatchNormShape& shape, const BatchNormBackward& backward,
                              const BatchNormVectors& vectors, const BatchNormScratch& scratch,
                              cudaStream_t stream);
/// Synchronised: the same with the sums left in `sums`, and the coefficients made of those of all ranks.
/// `count` points at the number of rows of all ranks.
void batch_norm_backward_local_sums(const BatchNormShape& shape, const BatchNormBackward& backward,
                                    const BatchNormVectors& vectors, double* sums,
                                    const BatchNormScratch& scratch, cudaStream_t stream);
void batch_norm_backward_finish(const BatchNormShape& shape, const BatchNormBackward& backward,
                                const BatchNormVectors& vectors, const double* sums, const double* count,
                                cudaStream_t stream);
/// dx of the whole normalisation.
void batch_norm_backward_apply(const BatchNormShape& shape, const BatchNormBackward& backward,
                               const BatchNormVectors& vectors, cudaStream_t stream);

/// Column sums of a matrix [rows][channels]: the gradient of a bias. Scratch as for the batch norm.
void column_sums(const BatchNormShape& shape, const void* matrix, float* sums,
                 const BatchNormScratch& scratch, cudaStream_t stream);

}  // namespace rankscope::engine::cuda
