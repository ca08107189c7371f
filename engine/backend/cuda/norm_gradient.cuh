// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <engine/backend/cuda/batch_norm.h>
#include <engine/backend/cuda/group.cuh>

/// The gradient that arrives at a batch norm: parts to be added up, and the mask of the ReLU. How many parts there are, up to
/// two, and where the mask comes from is known when a kernel is compiled, so that nothing lies between its reads.
namespace rankscope::engine::cuda {

/// Where the ReLU had cut off.
enum class Mask {
    none,
    result,     ///< the forward result is 0
    recomputed  ///< as the forward result, from x
};

/// Parts of a gradient whose number is a constant; where there are more, it is not.
constexpr int kFewParts = 2;

/// What the gradient at one element is made of.
template <typename T, int kParts>
struct GradientRow {
    Packed<T> x;
    Packed<T> parts[kParts];
    Packed<T> result;
};

template <typename T, int kParts, Mask kMask>
__device__ __forceinline__ GradientRow<T, kParts> fetch_gradient(const BatchNormBackward& backward,
                                                                 std::int64_t at) {
    GradientRow<T, kParts> row;
    row.x = load_packed(static_cast<const T*>(backward.x) + at);
#pragma unroll
    for (int part = 0; part < kParts; ++part) {
        if (kParts <= kFewParts || part < backward.gradient.count) {
            row.parts[part] = load_packed(static_cast<const T*>(backward.gradient.parts[part]) + at);
        }
    }
    if (kMask == Mask::result) {
        row.result = load_packed(static_cast<const T*>(backward.y) + at);
    }
    return row;
}

/// The sum of the parts, 0 where the ReLU had cut off.
template <typename T, int kParts, Mask kMask>
__device__ __forceinline__ Group masked_gradient(const GradientRow<T, kParts>& row, int parts, const Group& x,
                                                 const Group& mean, const Group& scale, const Group& bias) {
    Group g = unpacked(row.parts[0]);
#pragma unroll
    for (int part = 1; part < kParts; ++part) {
        if (kParts <= kFewParts || part < parts) {
            const Group more = unpacked(row.parts[part]);
            for (int i = 0; i < kGroup; ++i) {
                g.v[i] += more.v[i];
            }
        }
    }
    if (kMask != Mask::none) {
        Group result;
        if (kMask == Mask::result) {
            result = unpacked(row.result);
        } else {
            for (int i = 0; i < kGroup; ++i) {
                result.v[i] = (x.v[i] - mean.v[i]) * scale.v[i] + bias.v[i];
            }
        }
        for (int i = 0; i < kGroup; ++i) {
            g.v[i] = result.v[i] <= 0.0F ? 0.0F : g.v[i];
        }
    }
    return g;
}

template <int kParts, Mask kMask>
struct GradientKind {
    static constexpr int parts = kParts;
    static constexpr Mask mask = kMask;
};

template <int kParts, typename Body>
void with_mask(Mask mask, Body body) {
    switch (mask) {
        case Mask::none:
            body(GradientKind<kParts, Mask::none>());
            break;
        case Mask::result:
            body(GradientKind<kParts, Mask::result>());
            break;
        case Mask::recomputed:
            body(GradientKind<kParts, Mask::recomputed>());
            break;
    }
}

/// Calls `body` with the number of parts, 1 or 2, and the mask as constants.
template <typename Body>
void with_few_parts(int parts, Mask mask, Body body) {
    if (parts == 1) {
        with_mask<1>(mask, body);
    } else {
        with_mask<kFewParts>(mask, body);
    }
}

inline Mask mask_of(const BatchNormBackward& backward) {
    if (!backward.relu) {
        return Mask::none;
    }
    return backward.y != nullptr ? Mask::result : Mask::recomputed;
}

}  // namespace rankscope::engine::cuda
