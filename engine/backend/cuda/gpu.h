// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <engine/backend/cuda/cluster_norm.h>
#include <engine/backend/cuda/lane_schedule.h>
#include <engine/backend/cuda/stream.h>

#include <algorithm>
#include <array>
#include <string>

namespace rankscope::engine::cuda {

/// One GPU as this process uses it: its streams. Calls must come from the thread that made it, or from one
/// that has chosen the same device.
struct Gpu {
    explicit Gpu(int device)
        : index(chosen(device)),
          cluster_blocks(cuda::cluster_blocks()),
          main(priority_of(Lane::main)),
          side(priority_of(Lane::side)),
          comm(priority_of(Lane::comm)) {}

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
    int cluster_blocks;  ///< of a thread block cluster, at most; 1: there are none
    Stream main;
    Stream side;
    Stream comm;
    Stream copy;  ///< from the host, ahead of the step that reads it
    Stream back;  ///< results to the host, behind the step that made them

private:
    /// The other ranks wait for what is sent, the step for the main chain, and only the update for the side lane: its large
    /// kernels must not delay the small ones of the chain. Recorded graphs keep the priorities (CudaGraph).
    static int priority_of(Lane lane) {
        int least = 0;
        int greatest = 0;
        cuda_check(cudaDeviceGetStreamPriorityRange(&least, &greatest), "cudaDeviceGetStreamPriorityRange");
        return lane == Lane::comm ? greatest : (lane == Lane::main ? std::min(greatest + 1, least) : least);
    }
    static int chosen(int device) {
        cuda_check(cudaSetDevice(device), "cudaSetDevice");
        return device;
    }
};

}  // namespace rankscope::engine::cuda
