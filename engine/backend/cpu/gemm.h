// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <cstdint>

namespace rankscope::engine::cpu {

/// A row-major matrix, perhaps read transposed.
struct Matrix {
    const float* data = nullptr;
    std::int64_t stride = 0;  ///< floats from row to row as stored
    bool transposed = false;
};

/// c[m][n] = a[m][k] · b[k][n], added to what is there if asked; c's rows are `c_stride` floats apart.
void gemm(std::int64_t m, std::int64_t n, std::int64_t k, const Matrix& a, const Matrix& b, bool add,
          float* c, std::int64_t c_stride);

}  // namespace rankscope::engine::cpu
