// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <engine/backend/backend.h>
#include <engine/tensor/element_type.h>

namespace rankscope::engine::cuda {

/// How the libraries' kernels are chosen.
struct KernelPolicy {
    bool exact_fp32 = false;    ///< float means float: no TF32
    bool deterministic = true;  ///< the same bits in every run
};

inline ElementType element_of(Precision precision) {
    return precision == Precision::bf16   ? ElementType::bf16
           : precision == Precision::fp16 ? ElementType::f16
                                          : ElementType::f32;
}

}  // namespace rankscope::engine::cuda
