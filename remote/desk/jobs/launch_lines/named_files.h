// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <remote/desk/jobs/launch_lines/launch_tool.h>

#include <filesystem>
#include <string>
#include <vector>

namespace rankscope::inline jobs::launch_lines {

/// A launcher's line with what the files say that it names, as options: accelerate's configuration, DeepSpeed's hostfile.
/// They are looked for in the folders; what is read or cannot be read becomes a note.
Words with_named_files(Words words, const std::vector<std::filesystem::path>& folders,
                       std::vector<std::string>& notes);

/// torchtune's launcher as torchrun, whose options it takes; other words stay.
Words as_known_launcher(const Words& words);

}  // namespace rankscope::inline jobs::launch_lines
