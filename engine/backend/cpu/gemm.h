// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <engine/backend/cpu/bf16.h>

#include <dnnl.hpp>

#include <cstdint>

namespace rankscope::engine::cpu {

/// A row-major matrix, perhaps read transposed.
struct Matrix {
    const float* data = nullptr;
    std::int64_t stride = 0;  ///< floats from row to row as stored
    bool transposed = false;
};

/// c[m][n] = a[m][k] · b[k][n], added to what is there if requested; c's rows are `c_stride` floats apart.
void gemm(std::int64_t m, std::int64_t n, std::int64_t k, const Matrix& a, const Matrix& b, bool add,
          float* c, std::int64_t c_stride);

/// The same product of bfloat16 matrices with float sums, prepared once for its shape (oneDNN's matmul).
class Bf16Product {
public:
    struct Shape {
        std::int64_t m = 0;
        std::int64_t n = 0;
        std::int64_t k = 0;
        std::int64_t a_stride = 0;
        bool a_transposed = false;
        std::int64_t b_stride = 0;
        bool b_transposed = false;
        std::int64_t c_stride = 0;
        bool add = false;
    };
    Bf16Product(const dnnl::engine& engine, const Shape& shape);
    void run(const Bf16* a, const Bf16* b, float* c) const;

private:
    dnnl::engine engine_;
    dnnl::matmul::primitive_desc desc_;
    dnnl::matmul product_;
};

}  // namespace rankscope::engine::cpu
