// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>

namespace rankscope::engine {

/// Downloads `url` into `target` with curl, or wget where there is no curl. `progress` receives the bytes so
/// far, a few times a second. Returns what went wrong, empty on success; never throws.
std::string fetch(const std::string& url, const std::filesystem::path& target,
                  const std::function<void(std::uint64_t bytes)>& progress);

}  // namespace rankscope::engine
