// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <algorithm>
#include <array>
#include <cctype>
#include <string_view>

namespace rankscope {

/// Whether a variable of an environment is one of NCCL, PyTorch or Gloo, or looks like a misspelt one.
inline bool is_communication_variable(std::string_view name) {
    constexpr std::array<std::string_view, 7> kBegins{"NCCL",   "NCL_", "NCLL_", "NNCL_",
                                                      "TORCH_", "GLOO", "GLO_"};
    return std::any_of(kBegins.begin(), kBegins.end(), [&](std::string_view begin) {
        return name.size() >= begin.size() &&
               std::equal(begin.begin(), begin.end(), name.begin(), [](char known, char given) {
                   return known == static_cast<char>(std::toupper(static_cast<unsigned char>(given)));
               });
    });
}

}  // namespace rankscope
