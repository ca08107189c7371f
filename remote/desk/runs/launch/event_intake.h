// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <remote/wire/event.h>
#include <remote/wire/frames.pb.h>

#include <cstdint>
#include <string>
#include <vector>

namespace rankscope::inline runs {

/// A node's events as the desk takes them: those that came before are left out, times are by the desk's clock
/// (`clock_offset_s`: how far the node's is ahead), notices have their words. `next_seq` is the number that
/// is expected next, and moves on. `missing` gets a sentence where numbers were left out.
std::vector<Event> take_in(const wire::EventBatch& batch, const std::string& node, double clock_offset_s,
                           std::uint64_t& next_seq, std::vector<std::string>& missing);

}  // namespace rankscope::inline runs
