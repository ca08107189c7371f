// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

/// Before a function of a formula that CPU and GPU share. Such headers keep to C++17, for the CUDA compiler.
#if defined(__CUDACC__)
#define RANKSCOPE_FORMULA __device__ __forceinline__
#else
#define RANKSCOPE_FORMULA __attribute__((always_inline)) inline
#endif
