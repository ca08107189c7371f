// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <remote/wire/event.h>

namespace rankscope {

/// Puts into words what a node noticed: it sends a code and what belongs to it (in `evidence`); title,
/// evidence and what to do about it are made here, on the desk, in the person's language. Other events stay
/// as they are.
void describe_notice(Event& event);

}  // namespace rankscope
