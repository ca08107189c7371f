// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <engine/backend/cpu/cpu_backend.h>
#include <engine/error.h>
#include <engine/train/compute_device.h>
#include <engine/train/cuda_plugin.h>

#include <algorithm>
#include <cstdlib>

namespace rankscope::engine {
namespace {

/// NCCL refuses two ranks with one GPU on one host; with another name each, it takes them for two hosts.
void separate_ranks_on_one_gpu(const ComputeDevice& device, const RankEnv& env, ProcessGroup& group) {
    constexpr std::size_t kUuid = 32;
    std::string mine = cuda_device(device.gpu).value("uuid", "");
    mine.resize(kUuid, '-');
    const std::vector<std::string> all = group.all_gather(mine);
    if (std::count(all.begin(), all.end(), mine) > 1) {
        constexpr int kKeep = 0;
        setenv("NCCL_HOSTID", ("rankscope-rank-" + std::to_string(env.rank)).c_str(), kKeep);
    }
}

}  // namespace

ComputeDevice open_device(const std::string& name, int threads, const RankEnv& env) {
    if (name != "cuda") {
        return {make_cpu_backend(threads), cpu_backend_library(), -1};
    }
    const CudaPlugin& plugin = cuda_plugin();
    if (plugin.functions == nullptr) {
        throw ConfigError(
            "device: cuda, but " + plugin.why +
            ". It is built where nvcc, cuDNN and NCCL are, lies beside rankscope-worker, and needs "
            "their libraries on this machine. device: cpu trains without.");
    }
    if (plugin.devices == 0) {
        throw ConfigError("device: cuda, but this machine offers no GPU (" + plugin.why_no_device +
                          "). Check nvidia-smi and CUDA_VISIBLE_DEVICES; device: cpu trains without.");
    }
    const int gpu = env.local_rank % plugin.devices;
    return {plugin.functions->make_backend(gpu), plugin.functions->versions(), gpu};
}

std::unique_ptr<ProcessGroup> device_group(const ComputeDevice& device, const RankEnv& env,
                                           Rendezvous& rendezvous) {
    if (device.gpu < 0) {
        return nullptr;
    }
    separate_ranks_on_one_gpu(device, env, rendezvous.group());
    return cuda_plugin().functions->make_group({.rank = env.rank,
                                                .world_size = env.world_size,
                                                .device = device.gpu,
                                                .collective_timeout = env.last_resort(),
                                                .recorder = rendezvous.recorder()},
                                               rendezvous.store());
}

}  // namespace rankscope::engine
