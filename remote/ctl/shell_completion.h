// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <CLI/CLI.hpp>

#include <string>

namespace rankscope::ctl {

enum class Shell { Bash, Zsh, Fish };

/// The completion script of a shell for every command and option of `app`, whose name must be set. Files
/// complete everything else. Install as /usr/share/bash-completion/completions/NAME,
/// /usr/share/zsh/vendor-completions/_NAME, /usr/share/fish/vendor_completions.d/NAME.fish.
std::string shell_completion(const CLI::App& app, Shell shell);

}  // namespace rankscope::ctl
