// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <engine/backend/cuda/plan_cache.h>
#include <engine/backend/cuda/precision.h>
#include <engine/tensor/element_type.h>

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

namespace rankscope::engine::cuda {

/// D [m][n] = A [m][k] · B [k][n] (+ bias [n], clamped at 0 if requested), row-major. A transposed one lies in
/// memory as [k][m] or [n][k]. Rows are `…_row` elements apart.
struct MatmulShape {
    std::int64_t m = 0;
    std::int64_t n = 0;
    std::int64_t k = 0;
    bool transpose_a = false;
    bool transpose_b = false;
    std::int64_t a_row = 0;
    std::int64_t b_row = 0;
    std::int64_t d_row = 0;
    ElementType input = ElementType::f32;
    ElementType output = ElementType::f32;
    bool bias = false;  ///< of the output's type
    bool relu = false;
    std::int64_t batch = 1;  ///< products, whose matrices begin `…_step` elements apart
    std::int64_t a_step = 0;
    std::int64_t b_step = 0;
    std::int64_t d_step = 0;

    std::string text() const;
};

/// One matrix product by cuBLASLt, ready to run.
class Matmul {
public:
    struct Plan;
    explicit Matmul(std::unique_ptr<Plan> plan);
    ~Matmul();

    std::size_t workspace_bytes() const;
    /// Bias and ReLU of the shape are part of it; otherwise they remain to be done.
    bool finishes() const;
    void run(const void* a, const void* b, const void* bias, void* d, void* workspace,
             cudaStream_t stream) const;

private:
    std::unique_ptr<Plan> plan_;
};

/// Makes matrix products for one GPU. Which of cuBLASLt's algorithms is fastest is measured once and
/// remembered.
class MatmulLibrary {
public:
    MatmulLibrary(const KernelPolicy& policy, bool measure, PlanCache cache);
    /// Without a GPU: products that are planned, not run.
    explicit MatmulLibrary(const KernelPolicy& policy);
    ~MatmulLibrary();
    MatmulLibrary(const MatmulLibrary&) = delete;
    MatmulLibrary& operator=(const MatmulLibrary&) = delete;

    /// `measure`: false: what is not in the cache is cuBLASLt's first suggestion. Throws Error when cuBLASLt cannot do
    /// this shape at all.
    std::shared_ptr<const Matmul> make(const MatmulShape& shape, bool measure = true);

private:
    struct State;
    std::unique_ptr<State> state_;
};

}  // namespace rankscope::engine::cuda
