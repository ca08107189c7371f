// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <filesystem>
#include <string>

namespace rankscope {

/// The user's folders after the XDG base directory specification, each with "rankscope" appended.
std::filesystem::path user_config_dir();  ///< ~/.config/rankscope
std::filesystem::path user_data_dir();    ///< ~/.local/share/rankscope
std::filesystem::path user_cache_dir();   ///< ~/.cache/rankscope
std::filesystem::path home_dir();         ///< $HOME, else "/"
/// "~" and "~/…" become the home folder; anything else is returned as it is.
std::filesystem::path expand_home(const std::string& path);
/// Folder of the running program.
std::filesystem::path program_dir();

}  // namespace rankscope
