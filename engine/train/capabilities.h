// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <nlohmann/json.hpp>

namespace rankscope::engine {

/// What this worker supports: {"program", "version", "backends": [{"name", …}], "models", "datasets"}.
nlohmann::json worker_capabilities();

}  // namespace rankscope::engine
