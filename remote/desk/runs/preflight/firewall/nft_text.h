// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <nlohmann/json.hpp>

#include <string>

namespace rankscope::inline runs {

/// A rule of `nft -j` in the syntax of nft, without the figures of its counters.
std::string nft_text(const nlohmann::json& rule);

}  // namespace rankscope::inline runs
