// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <engine/backend/cpu/gemm.h>

#include <dnnl.hpp>

#include <stdexcept>

namespace rankscope::engine::cpu {

void gemm(std::int64_t m, std::int64_t n, std::int64_t k, const Matrix& a, const Matrix& b, bool add,
          float* c, std::int64_t c_stride) {
    const dnnl::status status =
        dnnl::sgemm(a.transposed ? 'T' : 'N', b.transposed ? 'T' : 'N', m, n, k, 1.0F, a.data, a.stride,
                    b.data, b.stride, add ? 1.0F : 0.0F, c, c_stride);
    if (status != dnnl::status::success) {
        throw std::logic_error("oneDNN refused a matrix product");
    }
}

}  // namespace rankscope::engine::cpu
