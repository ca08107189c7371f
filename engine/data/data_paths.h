// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <filesystem>
#include <string>

namespace rankscope::engine {

/// "~" and "~/…" become the user's home folder.
std::filesystem::path expand_home(const std::string& path);

/// $XDG_CACHE_HOME/rankscope/datasets/<name>, else ~/.cache/rankscope/datasets/<name>.
std::filesystem::path dataset_cache_folder(const std::string& name);

}  // namespace rankscope::engine
