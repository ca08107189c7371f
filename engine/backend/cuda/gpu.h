// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <engine/backend/cuda/lane_schedule.h>
#include <engine/backend/cuda/stream.h>

#include <array>
#include <string>

namespace rankscope::engine::cuda {

/// One GPU as this process uses it: its streams. Calls must come from the thread that made it, or from one
/// that has chosen the same device.
struct Gpu {
    explicit Gpu(int device) : index(chosen(device)) {}

    /// In the order of Lane.
    std::array<cudaStream_t, kLanes> lanes() const { return {main.get(), side.get(), comm.get()}; }
    /// "NVIDIA H200, CUDA 13000": what measured choices of kernels hold for.
    std::string description() const {
        cudaDeviceProp properties{};
        int driver = 0;
        cuda_check(cudaGetDeviceProperties(&properties, index), "cudaGetDeviceProperties");
        cuda_check(cudaDriverGetVersion(&driver), "cudaDriverGetVersion");
        return std::string(properties.name) + ", driver " + std::to_string(driver);
    }

    int index;
    Stream main;
    Stream side;
    Stream comm;
    Stream copy;  ///< from the host, ahead of the step that reads it

private:
    static int chosen(int device) {
        cuda_check(cudaSetDevice(device), "cudaSetDevice");
        return device;
    }
};

}  // namespace rankscope::engine::cuda
