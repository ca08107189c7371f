// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <nlohmann/json.hpp>

#include <string>

namespace rankscope::engine {

std::string worker_version();

/// What this worker can do: {"program", "version", "backends": [{"name", …}], "models", "datasets"}.
nlohmann::json worker_capabilities();

}  // namespace rankscope::engine
