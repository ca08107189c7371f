// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace rankscope::engine {

/// Bytes of a file as labels. Throws Error naming file, item, value and the classes when one is out of range.
std::vector<std::int32_t> checked_labels(const std::string& file, const std::vector<std::uint8_t>& bytes,
                                         std::int64_t classes, std::int64_t first_item = 0);

}  // namespace rankscope::engine
