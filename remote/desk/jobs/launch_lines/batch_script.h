// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <remote/desk/jobs/launch_lines/launch_tool.h>

#include <string>

namespace rankscope::inline jobs::launch_lines {

/// The options of "#SBATCH …" lines of a pasted script; at most 1,000 words.
Words batch_options(const std::string& script);

/// "sbatch OPTIONS --wrap 'COMMAND'" as the srun line with the same options. Another command stays as it is. Fails for a
/// script that sbatch reads from a file: what it starts is not in the line.
Result<Words> without_sbatch(const Words& words);

}  // namespace rankscope::inline jobs::launch_lines
