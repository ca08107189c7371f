// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <engine/backend/cuda/cuda_library.h>
#include <engine/train/cuda_devices.h>

#include <dlfcn.h>

#include <array>
#include <memory>

namespace rankscope::engine {
namespace {

struct Close {
    void operator()(void* library) const { dlclose(library); }
};

template <typename Function>
Function* symbol(const std::unique_ptr<void, Close>& library, const char* name) {
    return reinterpret_cast<Function*>(dlsym(library.get(), name));
}

}  // namespace

nlohmann::json cuda_devices() {
    // NODELETE: the CUDA runtime leaves handlers for the process's exit, which must still be there then.
    const std::unique_ptr<void, Close> library(
        dlopen("librankscope-cuda.so", RTLD_LAZY | RTLD_LOCAL | RTLD_NODELETE));
    if (!library) {
        return nullptr;
    }
    const auto count = symbol<decltype(rankscope_cuda_device_count)>(library, "rankscope_cuda_device_count");
    const auto describe = symbol<decltype(rankscope_cuda_device_json)>(library, "rankscope_cuda_device_json");
    if (count == nullptr || describe == nullptr) {
        return nullptr;
    }
    std::array<char, 512> text{};
    const int devices = count(text.data(), text.size());
    nlohmann::json result = {{"devices", nlohmann::json::array()}, {"why", text.data()}};
    for (int index = 0; index < devices; ++index) {
        if (describe(index, text.data(), text.size())) {
            result["devices"].push_back(nlohmann::json::parse(text.data(), nullptr, false));
        }
    }
    return result;
}

}  // namespace rankscope::engine
