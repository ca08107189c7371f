// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <remote/desk/runs/launch/node_stop_request.h>

namespace rankscope::inline runs {

wire::Request node_stop_request(const StopOrder& order) {
    wire::Request request;
    auto* stop = request.mutable_stop_run();
    stop->set_run_id(order.run_id);
    stop->set_force(order.kind == StopKind::Force);
    stop->set_everywhere(order.by_user);
    stop->set_cause(order.cause);
    return request;
}

}  // namespace rankscope::inline runs
