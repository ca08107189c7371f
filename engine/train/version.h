// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <string>

namespace rankscope::engine {

/// Of the engine: worker and CUDA library must have the same.
std::string worker_version();

}  // namespace rankscope::engine
