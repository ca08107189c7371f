// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <remote/desk/runs/preflight/preflight.h>

#include <nlohmann/json_fwd.hpp>

namespace rankscope::inline runs {

/// The object of `preflight --json` (docs/preflight.md).
nlohmann::ordered_json to_json(const PreflightReport& report);

}  // namespace rankscope::inline runs
