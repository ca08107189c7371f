// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <string>

namespace rankscope::inline nodes {

enum class NvidiaPart { Driver, Cudnn, Cublas, Nccl };

/// The command that installs it, by `os`, PRETTY_NAME of os-release; empty: this distribution is not known. Libraries come
/// from NVIDIA's package repository, which must be set up (kNvidiaRepository), for CUDA `cuda`, "13.0".
std::string nvidia_install_command(NvidiaPart part, const std::string& os, const std::string& cuda = "13.0");

inline constexpr const char* kNvidiaRepository = "https://developer.nvidia.com/cuda-downloads";

}  // namespace rankscope::inline nodes
