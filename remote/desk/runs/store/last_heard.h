// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

namespace rankscope::inline runs {

/// The time of the last event that a run store has of a run; 0: none.
std::int64_t last_heard_us(const std::filesystem::path& store, const std::string& run_id);

}  // namespace rankscope::inline runs
