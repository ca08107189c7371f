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

/// A group as it lies in memory: half the registers of a Group where elements have 16 bits.
template <typename T>
struct Packed {
    uint4 raw[sizeof(T) * kGroup / sizeof(uint4)];
};

template <typename T>
__device__ __forceinline__ Packed<T> load_packed(const T* from) {
    Packed<T> packed;
#pragma unroll
    for (unsigned i = 0; i < sizeof(packed) / sizeof(uint4); ++i) {
        packed.raw[i] = reinterpret_cast<const uint4*>(from)[i];
    }
    return packed;
}

__device__ __forceinline__ Group unpacked(const Packed<float>& packed) {
    const auto* four = reinterpret_cast<const float4*>(packed.raw);
    return {{four[0].x, four[0].y, four[0].z, four[0].w, four[1].x, four[1].y, four[1].z, four[1].w}};
}

__device__ __forceinline__ Group unpacked(const Packed<__nv_bfloat16>& packed) {
    const auto* pairs = reinterpret_cast<const __nv_bfloat162*>(packed.raw);
    Group group;
#pragma unroll
    for (int i = 0; i < 4; ++i) {
        const float2 two = __bfloat1622float2(pairs[i]);
        group.v[2 * i] = two.x;
        group.v[2 * i + 1] = two.y;
    }
    return group;
}

__device__ __forceinline__ Group unpacked(const Packed<__half>& packed) {
    const auto* pairs = reinterpret_cast<const __half2*>(packed.raw);
    Group group;
#pragma unroll
    for (int i = 0; i < 4; ++i) {
        const float2 two = __half22float2(pairs[i]);
        group.v[2 * i] = two.x;
        group.v[2 * i + 1] = two.y;
    }
    return group;
}

__device__ __forceinline__ void pack(const Group& group, Packed<float>& packed) {
    auto* four = reinterpret_cast<float4*>(packed.raw);
    four[0] = make_float4(group.v[0], group.v[1], group.v[2], group.v[3]);
    four[1] = make_float4(group.v[4], group.v[5], group.v[6], group.v[7]);
}

__device__ __forceinline__ void pack(const Group& group, Packed<__nv_bfloat16>& packed) {
    auto* pairs = reinterpret_cast<__nv_bfloat162*>(packed.raw);
#pragma unroll
    for (int i = 0; i < 4; ++i) {
        pairs[i] = __floats2bfloat162_rn(group.v[2 * i], group.v[2 * i + 1]);
    }
}

__device__ __forceinline__ void pack(const Group& group, Packed<__half>& packed) {
    auto* pairs = reinterpret_cast<__half2*>(packed.raw);
#pragma unroll
    for (int i = 0; i < 4; ++i) {
        pairs[i] = __floats2half2_rn(group.v[2 * i], group.v[2 * i + 1]);
    }
}

template <typename T>
__device__ __forceinline__ void store_packed(T* to, const Packed<T>& packed) {
#pragma unroll
    for (unsigned i = 0; i < sizeof(packed) / sizeof(uint4); ++i) {
        reinterpret_cast<uint4*>(to)[i] = packed.raw[i];
    }
}

/// One element as a float, and back.
__device__ __forceinline__ float number(float value) {
    return value;
}
__device__ __forceinline__ float number(__nv_bfloat16 value) {
    return __bfloat162float(value);
}
__device__ __forceinline__ float number(__half value) {
    return __half2float(value);
}
__device__ __forceinline__ void put(float* to, float value) {
    *to = value;
}
__device__ __forceinline__ void put(__nv_bfloat16* to, float value) {
    *to = __float2bfloat16(value);
}
__device__ __forceinline__ void put(__half* to, float value) {
    *to = __float2half(value);
}

template <typename T>
__device__ __forceinline__ Group load(const T* from) {
    return unpacked(load_packed(from));
}

template <typename T>
__device__ __forceinline__ void store(T* to, const Group& group) {
    Packed<T> packed;
    pack(group, packed);
    store_packed(to, packed);
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
