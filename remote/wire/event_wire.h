// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <remote/wire/event.h>
#include <remote/wire/frames.pb.h>

#include <string>

namespace rankscope {

/// Between the plain event and its form in frames. The node is not in the frame: a stream is one node's.
Event from_wire(const wire::Event& frame, const std::string& node);
wire::Event to_wire(const Event& event);

}  // namespace rankscope
