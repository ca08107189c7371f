// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <cstddef>

/// What librankscope-cuda.so offers. It is opened at run time, so that the worker starts on machines without
/// CUDA; hence C names, and no exception crosses them.
extern "C" {
/// Number of CUDA devices; 0 also when there is no driver (*why then says so, up to `size` bytes with the
/// zero).
int rankscope_cuda_device_count(char* why, std::size_t size);
/// {"index", "name", "memory_bytes", "compute"} as JSON text; false when it does not fit or the device is
/// gone.
bool rankscope_cuda_device_json(int index, char* text, std::size_t size);
}
