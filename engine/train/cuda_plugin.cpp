// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <base/json_text.h>
#include <engine/train/cuda_plugin.h>
#include <engine/train/version.h>

#include <dlfcn.h>

#include <array>

namespace rankscope::engine {
namespace {

template <typename Function>
Function* symbol(void* library, const char* name) {
    return reinterpret_cast<Function*>(dlsym(library, name));
}

CudaPlugin open_plugin() {
    CudaPlugin plugin;
    // NODELETE: the CUDA runtime leaves handlers for the process's exit, which must still be there then.
    void* const library = dlopen("librankscope-cuda.so", RTLD_LAZY | RTLD_LOCAL | RTLD_NODELETE);
    if (library == nullptr) {
        const char* why = dlerror();
        plugin.why = why == nullptr ? "librankscope-cuda.so cannot be opened" : why;
        return plugin;
    }
    const auto count = symbol<decltype(rankscope_cuda_device_count)>(library, "rankscope_cuda_device_count");
    const auto functions = symbol<decltype(rankscope_cuda_functions)>(library, "rankscope_cuda_functions");
    plugin.device_json = symbol<decltype(rankscope_cuda_device_json)>(library, "rankscope_cuda_device_json");
    if (count == nullptr || functions == nullptr || plugin.device_json == nullptr) {
        plugin.why = "librankscope-cuda.so is of another version than this worker";
        return plugin;
    }
    plugin.functions = functions(worker_version().c_str());
    if (plugin.functions == nullptr) {
        plugin.why = "librankscope-cuda.so is of another version than this worker (" + worker_version() + ")";
        return plugin;
    }
    std::array<char, 256> why{};
    plugin.devices = count(why.data(), why.size());
    plugin.why_no_device = why.data();
    return plugin;
}

}  // namespace

const CudaPlugin& cuda_plugin() {
    static const CudaPlugin plugin = open_plugin();
    return plugin;
}

nlohmann::json cuda_device(int index) {
    const CudaPlugin& plugin = cuda_plugin();
    std::array<char, 512> text{};
    if (plugin.functions == nullptr || !plugin.device_json(index, text.data(), text.size())) {
        return nullptr;
    }
    return read_json(text.data());
}

nlohmann::json cuda_devices() {
    const CudaPlugin& plugin = cuda_plugin();
    if (plugin.functions == nullptr) {
        return nullptr;
    }
    nlohmann::json result = {{"devices", nlohmann::json::array()}, {"why", plugin.why_no_device}};
    for (int index = 0; index < plugin.devices; ++index) {
        if (nlohmann::json device = cuda_device(index); device.is_object()) {
            result["devices"].push_back(std::move(device));
        }
    }
    return result;
}

}  // namespace rankscope::engine
