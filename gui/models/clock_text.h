// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <remote/desk/nodes/session/node_facts.h>

#include <QString>

namespace rankscope::gui {

/// A node's clock against this computer's: "in step" within what the round trip lets one measure, else
/// "+49 ms ± 2.0 ms".
QString clock_text(const NodeFacts& facts);

}  // namespace rankscope::gui
