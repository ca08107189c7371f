// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <cuda_runtime_api.h>

#include <functional>
#include <set>

/// Streams, events and graphs on the CPU. Work that nothing orders runs in a random order when a thread waits
/// for it, as late as CUDA allows: a forgotten dependency shows as a wrong result.
namespace emulated {

void enqueue(cudaStream_t stream, std::function<void()> action);
/// Another order from now on.
void seed(unsigned number);
/// Device memory that is in use, bytes; and the most that there may be (0: no limit).
std::size_t allocated();
void limit_memory(std::size_t bytes);
/// Those of the nodes in the graphs that were made since the last call.
std::set<int> take_recorded_priorities();
/// What waiting for a stream gives from now on, as after a kernel's crash; cudaSuccess: all is well again.
void fail_for_good(cudaError_t code);

}  // namespace emulated
