// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <cstdint>
#include <functional>
#include <string>

namespace rankscope::engine {

/// What a long preparation is doing; done and total are 0 where there is nothing to count.
using DataProgress = std::function<void(const std::string& detail, std::uint64_t done, std::uint64_t total)>;

}  // namespace rankscope::engine
