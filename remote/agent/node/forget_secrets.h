// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <remote/agent/node/node_paths.h>

namespace rankscope::agent {

/// A run that has ended needs neither its token nor the environment of its ranks: takes both out of its spec
/// file. Where the disk is too full to write it again, the whole file is emptied.
void forget_secrets(const RunDir& dir);

}  // namespace rankscope::agent
