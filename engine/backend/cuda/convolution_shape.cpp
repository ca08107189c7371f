// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <engine/backend/cuda/convolution.h>
#include <engine/error.h>

#include <cstdlib>
#include <string_view>

namespace rankscope::engine::cuda {

std::string ConvolutionShape::text() const {
    return std::string(name_of(type)) + " n" + std::to_string(batch) + " c" + std::to_string(in_channels) +
           " " + std::to_string(height) + "x" + std::to_string(width) + " k" + std::to_string(out_channels) +
           " r" + std::to_string(kernel) + " s" + std::to_string(stride) + " p" + std::to_string(padding) +
           (dilation == 1 ? "" : " d" + std::to_string(dilation)) +
           (groups == 1 ? "" : " g" + std::to_string(groups)) + (bias ? " bias" : "") + (relu ? " relu" : "");
}

Tuning tuning_from_environment() {
    const char* text = std::getenv("RANKSCOPE_CUDA_TUNING");
    const std::string_view word = text == nullptr ? "quick" : text;
    if (word == "none") {
        return Tuning::none;
    }
    if (word == "quick") {
        return Tuning::quick;
    }
    if (word == "full") {
        return Tuning::full;
    }
    throw ConfigError("RANKSCOPE_CUDA_TUNING=" + std::string(word) + ": none, quick or full is expected");
}

}  // namespace rankscope::engine::cuda
