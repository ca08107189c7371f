// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <remote/desk/nodes/transport/transport.h>

namespace rankscope::inline nodes {

/// This computer as a node: the same commands, run by /bin/sh without SSH.
Result<std::unique_ptr<Transport>> open_local_transport();

}  // namespace rankscope::inline nodes
