// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <cuda_runtime_api.h>

#include <functional>

/// Streams, events and graphs on the CPU. Work that nothing orders runs in a random order when a thread waits
/// for it, as late as CUDA allows: a forgotten dependency shows as a wrong result.
namespace emulated {

void enqueue(cudaStream_t stream, std::function<void()> action);
/// Another order from now on.
void seed(unsigned number);
/// Device memory that is in use, bytes; and the most that there may be (0: no limit).
std::size_t allocated();
void limit_memory(std::size_t bytes);

}  // namespace emulated
