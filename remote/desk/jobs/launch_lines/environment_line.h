// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <remote/desk/jobs/launch_lines/launch_tool.h>

#include <filesystem>
#include <string>
#include <vector>

namespace rankscope::inline jobs::launch_lines {

/// "uv run --extra cu128": where one of the folders, or one above, has a uv.lock, the nodes make its environment. false: the
/// text is something else, or there is no such file.
bool take_uv_environment(const std::string& wrapper, const std::vector<std::filesystem::path>& folders,
                         PastedLine& line);

}  // namespace rankscope::inline jobs::launch_lines
