// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <engine/backend/cuda/channel_groups.h>
#include <engine/tensor/element_type.h>

#include <cuda_bf16.h>
#include <cuda_fp16.h>

/// Eight neighbouring elements, moved in accesses of 16 bytes and computed with as floats.
namespace rankscope::engine::cuda {

struct Group {
    float v[kGroup];
};

__device__ __forceinline__ Group load(const float* from) {
    const float4 low = reinterpret_cast<const float4*>(from)[0];
    const float4 high = reinterpret_cast<const float4*>(from)[1];
    return {{low.x, low.y, low.z, low.w, high.x, high.y, high.z, high.w}};
}

__device__ __forceinline__ Group load(const __nv_bfloat16* from) {
    const uint4 raw = *reinterpret_cast<const uint4*>(from);
    const auto* pairs = reinterpret_cast<const __nv_bfloat162*>(&raw);
    Group group;
#pragma unroll
    for (int i = 0; i < 4; ++i) {
        const float2 two = __bfloat1622float2(pairs[i]);
        group.v[2 * i] = two.x;
        group.v[2 * i + 1] = two.y;
    }
    return group;
}

__device__ __forceinline__ Group load(const __half* from) {
    const uint4 raw = *reinterpret_cast<const uint4*>(from);
    const auto* pairs = reinterpret_cast<const __half2*>(&raw);
    Group group;
#pragma unroll
    for (int i = 0; i < 4; ++i) {
        const float2 two = __half22float2(pairs[i]);
        group.v[2 * i] = two.x;
        group.v[2 * i + 1] = two.y;
    }
    return group;
}

__device__ __forceinline__ void store(float* to, const Group& group) {
    reinterpret_cast<float4*>(to)[0] = make_float4(group.v[0], group.v[1], group.v[2], group.v[3]);
    reinterpret_cast<float4*>(to)[1] = make_float4(group.v[4], group.v[5], group.v[6], group.v[7]);
}

__device__ __forceinline__ void store(__nv_bfloat16* to, const Group& group) {
    uint4 raw;
    auto* pairs = reinterpret_cast<__nv_bfloat162*>(&raw);
#pragma unroll
    for (int i = 0; i < 4; ++i) {
        pairs[i] = __floats2bfloat162_rn(group.v[2 * i], group.v[2 * i + 1]);
    }
    *reinterpret_cast<uint4*>(to) = raw;
}

__device__ __forceinline__ void store(__half* to, const Group& group) {
    uint4 raw;
    auto* pairs = reinterpret_cast<__half2*>(&raw);
#pragma unroll
    for (int i = 0; i < 4; ++i) {
        pairs[i] = __floats2half2_rn(group.v[2 * i], group.v[2 * i + 1]);
    }
    *reinterpret_cast<uint4*>(to) = raw;
}

/// Calls `body` with a null pointer of the element's C++ type. Kernels have no f64.
template <typename Body>
void with_element(ElementType type, Body body) {
    switch (type) {
        case ElementType::f32:
            body(static_cast<float*>(nullptr));
            break;
        case ElementType::bf16:
            body(static_cast<__nv_bfloat16*>(nullptr));
            break;
        case ElementType::f16:
            body(static_cast<__half*>(nullptr));
            break;
        case ElementType::f64:
            break;
    }
}

/// max(x, 0); not a number stays so, as in PyTorch.
__device__ __forceinline__ float clamped(float x) {
    return x < 0.0F ? 0.0F : x;
}

}  // namespace rankscope::engine::cuda
