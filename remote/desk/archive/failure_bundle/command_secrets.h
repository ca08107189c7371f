// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace rankscope::inline archive {

/// A secret among the words of a command.
struct CommandSecret {
    std::size_t word = 0;
    std::size_t from = 0;  ///< where it begins in the word; it ends with the word
    std::string name;      ///< of the flag, variable or header that says so

    bool operator==(const CommandSecret&) const = default;
};

/// `--api-key VALUE`, `--api-key=VALUE`, `API_KEY=VALUE`, `--env=API_KEY=VALUE`, `-eAPI_KEY=VALUE`, `X-Api-Key: VALUE`,
/// `Authorization: Bearer VALUE`, `-u NAME:VALUE`. `is_secret` knows names of flags, variables and headers.
std::vector<CommandSecret> command_secrets(const std::vector<std::string>& words,
                                           const std::function<bool(std::string_view name)>& is_secret);

}  // namespace rankscope::inline archive
