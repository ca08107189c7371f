// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <remote/desk/runs/store/stop_order.h>
#include <remote/wire/frames.pb.h>

namespace rankscope::inline runs {

/// Stops a run through the agent of one of its nodes, whatever launched it.
wire::Request node_stop_request(const StopOrder& order);

}  // namespace rankscope::inline runs
