// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <base/fd.h>

#include <initializer_list>

namespace rankscope::agent {

/// For a process that starts and reaps ranks: these signals come through the descriptor (signalfd(2)), SIGPIPE and SIGHUP
/// are ignored, and orphans below it become its children (PR_SET_CHILD_SUBREAPER).
UniqueFd take_signals(std::initializer_list<int> signals);

}  // namespace rankscope::agent
