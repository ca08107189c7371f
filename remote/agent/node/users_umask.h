// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <sys/types.h>

namespace rankscope::agent {

/// From now on this process's own files are the user's alone. Once, at its start.
void keep_files_private();

/// The umask that this process was started with, for the programs of the user: what they write is as accessible as if the user
/// had started them on the node. 0077 where keep_files_private() was not called.
mode_t users_umask();

}  // namespace rankscope::agent
