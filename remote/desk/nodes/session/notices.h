// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <remote/diagnosis/check.h>
#include <remote/wire/event.h>

namespace rankscope::inline nodes {

/// Adds the texts of a notice from the catalogue: a node sends id and arguments, the desk makes title, evidence
/// and fix in the user's language. Other events, and notices with a title, stay as they are.
void describe_notice(Event& event);

/// A failure that does not end the run, as a notice.
NoticeEvent notice_of(const Failure& failure);
/// The warning of a preflight.
NoticeEvent notice_of(const Check& check);

}  // namespace rankscope::inline nodes
