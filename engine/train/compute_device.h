// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <engine/backend/backend.h>
#include <engine/comm/process_group.h>
#include <engine/comm/rank_env.h>
#include <engine/comm/rendezvous.h>

#include <chrono>
#include <memory>
#include <string>

namespace rankscope::engine {

/// What a rank computes on.
struct ComputeDevice {
    std::unique_ptr<Backend> backend;
    std::string library;  ///< what the backend is made of, with versions
    int gpu = -1;         ///< CUDA's number of it; −1: the CPU
};

/// `name`: "cpu", "cuda", or "auto", which is the CPU where no plan has decided; `threads`: of the CPU backend. Ranks of a node take its GPUs in turn. Throws
/// ConfigError saying what is missing when there is no GPU that can be used.
ComputeDevice open_device(const std::string& name, int threads, const RankEnv& env);

/// All ranks once more, as a group that reduces the backend's memory: over NCCL for a GPU. Null where the
/// group of the rendezvous does (CPU). Collective. Ranks that share a GPU are distinguished for NCCL, which then
/// goes through sockets: right, but slow.
std::unique_ptr<ProcessGroup> device_group(const ComputeDevice& device, const RankEnv& env,
                                           Rendezvous& rendezvous);

}  // namespace rankscope::engine
