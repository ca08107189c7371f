// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

namespace rankscope {

/// Exit statuses by which the script of a Slurm job says why nothing could be started; the desk makes the
/// sentence. Chosen where neither sh (126, 127, 128 + signal) nor Slurm (253) means something.
inline constexpr int kSlurmExitNotShared =
    97;  ///< the run's folder is not seen on a node: no shared file system
inline constexpr int kSlurmExitNoExec = 98;  ///< the agent may not be executed there

}  // namespace rankscope
