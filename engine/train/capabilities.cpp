// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <base/config/train_config.h>
#include <engine/backend/cpu/cpu_backend.h>
#include <engine/train/capabilities.h>
#include <engine/train/cuda_plugin.h>
#include <engine/train/version.h>

namespace rankscope::engine {

nlohmann::json worker_capabilities() {
    nlohmann::json backends = nlohmann::json::array();
    backends.push_back({{"name", "cpu"}, {"compute", cpu_backend_library()}, {"communication", "gloo"}});
    const CudaPlugin& plugin = cuda_plugin();
    if (plugin.functions != nullptr && plugin.devices > 0) {
        backends.push_back(
            {{"name", "cuda"}, {"compute", plugin.functions->versions()}, {"communication", "nccl"}});
    }
    nlohmann::json result = {{"program", "rankscope-worker"},
                             {"version", worker_version()},
                             {"backends", std::move(backends)},
                             {"models", config::known_models()},
                             {"datasets", config::known_datasets()}};
    if (nlohmann::json cuda = cuda_devices(); !cuda.is_null()) {
        result["cuda"] = std::move(cuda);
    }
    return result;
}

}  // namespace rankscope::engine
