// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <string>

namespace rankscope::engine::cuda {

/// "cuDNN 9.19.0, cuBLASLt 13.0.1, NCCL 2.28.9".
std::string library_versions();
/// Throws Error when cuDNN is older than what this backend is written for.
void check_libraries();

}  // namespace rankscope::engine::cuda
