// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <engine/backend/cpu/dnnl_api.h>
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

Bf16Product::Bf16Product(const dnnl::engine& engine, const Shape& shape)
    : engine_(engine),
      desc_(dnnl_api::matmul(
          engine,
          {{shape.m, shape.k},
           dnnl::memory::data_type::bf16,
           shape.a_transposed ? dnnl::memory::dims{1, shape.a_stride}
                              : dnnl::memory::dims{shape.a_stride, 1}},
          {{shape.k, shape.n},
           dnnl::memory::data_type::bf16,
           shape.b_transposed ? dnnl::memory::dims{1, shape.b_stride}
                              : dnnl::memory::dims{shape.b_stride, 1}},
          {{shape.m, shape.n}, dnnl::memory::data_type::f32, dnnl::memory::dims{shape.c_stride, 1}},
          shape.add)),
      product_(desc_) {}

void Bf16Product::run(const Bf16* a, const Bf16* b, float* c) const {
    // oneDNN's memory takes no pointers to const.
    const auto memory = [&](const dnnl::memory::desc& desc, const void* data) {
        return dnnl::memory(desc, engine_, const_cast<void*>(data));
    };
    dnnl::stream stream(engine_);
    product_.execute(stream, {{DNNL_ARG_SRC, memory(desc_.src_desc(), a)},
                              {DNNL_ARG_WEIGHTS, memory(desc_.weights_desc(), b)},
                              {DNNL_ARG_DST, memory(desc_.dst_desc(), c)}});
}

}  // namespace rankscope::engine::cpu
