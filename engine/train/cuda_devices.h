// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <nlohmann/json.hpp>

namespace rankscope::engine {

/// The GPUs of this machine as librankscope-cuda.so sees them: {"devices": […], "why": "…"}; null when that
/// library is not beside the worker (built without CUDA, or not pushed). Opened at run time: without CUDA the
/// worker must start.
nlohmann::json cuda_devices();

}  // namespace rankscope::engine
