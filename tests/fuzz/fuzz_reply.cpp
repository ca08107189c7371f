// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

// A whole frame from a node, and everything the desk does with what is in it.

#include "target.h"

#include <remote/desk/nodes/session/agent_failures.h>
#include <remote/desk/nodes/session/facts_json.h>
#include <remote/desk/runs/run/run_state.h>
#include <remote/desk/runs/run/run_tracker.h>
#include <remote/wire/event_json.h>
#include <remote/wire/event_wire.h>
#include <remote/wire/frames.pb.h>

namespace rankscope {
namespace {

LaunchPlan small_plan() {
    LaunchPlan plan;
    for (int i = 0; i < 3; ++i) {
        NodePlan node;
        node.node = "node" + std::to_string(i);
        node.group_rank = i;
        node.local_world_size = 1;
        plan.nodes.push_back(node);
        RankPlan rank;
        rank.rank = i;
        rank.node = plan.nodes.back().node;
        plan.ranks.push_back(rank);
    }
    plan.world_size = 3;
    return plan;
}

void consume(const wire::EventBatch& batch) {
    static const LaunchPlan plan = small_plan();
    RunState state;
    state.set_plan(plan);
    RunTracker tracker;
    tracker.set_plan(plan);
    for (const auto& frame : batch.events()) {
        Event event = from_wire(frame, frame.rank() % 2 == 0 ? "node0" : "node1");
        state.apply(event);
        for (const auto& consequence : tracker.observe(event)) {
            state.apply(consequence);
        }
        const auto line = to_json_line(event);
        const auto json = nlohmann::json::parse(line, nullptr, false);
        fuzz::require(json.is_object() && json["event"] == kind_of(event),
                      "every event is one JSON object of its kind");
        EventBody body;
        fuzz::require(body_from_json(kind_of(event), body_to_json(event.body), body),
                      "what is stored can be read");
        fuzz::require(body_to_json(body) == body_to_json(event.body), "and is the same");
        if (const auto* exit = event.as<ExitEvent>()) {
            fuzz::require(!describe_exit(*exit).empty(), "every end has its sentence");
        }
    }
    const double progress = state.progress();
    fuzz::require(progress <= 1 && state.epoch_progress() <= 1, "never more than everything");
    static_cast<void>(state.eta_s() + state.epoch_eta_s() + state.images_per_s());
    static_cast<void>(tracker.verdict(false));
    static_cast<void>(tracker.diagnosis());
}

}  // namespace
}  // namespace rankscope

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace rankscope;
    wire::Reply reply;
    if (!reply.ParseFromArray(data, static_cast<int>(size))) {
        return 0;
    }
    if (reply.has_events()) {
        consume(reply.events());
    } else if (reply.has_failure()) {
        NodeSpec node;
        node.name = "node0";
        fuzz::require(!explain_agent_failure(node, reply.failure()).what.empty(),
                      "every failure has its sentence");
    } else if (reply.has_facts()) {
        const auto json = to_json(facts_from_wire(reply.facts()));
        fuzz::require(to_json(facts_from_json(json)) == json, "facts come back from the store");
    }
    return 0;
}
