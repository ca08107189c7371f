// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <remote/wire/event.h>

#include <string>
#include <vector>

namespace rankscope::test {

Event make_event(EventBody body, std::uint64_t seq = 7, std::string node = "node1", int rank = 3);

/// One event of every kind, every field set to something that is not its default; and one of every kind with
/// nothing but defaults.
std::vector<Event> all_kinds();

/// Everything in an event, as text: two events are the same when their texts are. NaN equals NaN.
std::string describe(const Event& event);

}  // namespace rankscope::test
