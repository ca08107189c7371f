// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <engine/backend/backend.h>

#include <memory>
#include <string>

namespace rankscope::engine {

/// oneDNN on the CPU, fp32. `threads` compute threads (libgomp's); the instruction set is chosen at run time.
std::unique_ptr<Backend> make_cpu_backend(int threads);

/// "oneDNN 2.6.3": the library in use.
std::string cpu_backend_library();

}  // namespace rankscope::engine
