// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

// Facts and plans as the run store holds them, and the worker bundle's manifest.

#include "target.h"

#include <remote/desk/jobs/plan/launch_plan.h>
#include <remote/desk/nodes/deploy/artifacts.h>
#include <remote/desk/nodes/session/facts_json.h>
#include <remote/desk/runs/run/run_state.h>

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace rankscope;
    const std::string text(fuzz::as_text(data, size));
    const auto json = nlohmann::json::parse(text, nullptr, false);
    const auto facts = to_json(facts_from_json(json));
    fuzz::require(to_json(facts_from_json(facts)) == facts, "facts come back from the store");
    if (const auto plan = plan_from_json(json)) {
        const auto written = to_json(*plan);
        const auto again = plan_from_json(written);
        fuzz::require(static_cast<bool>(again) && to_json(*again) == written,
                      "plans come back from the store");
        static_cast<void>(to_text(*plan));
        RunState state;
        state.set_plan(*plan);
        static_cast<void>(state.progress());
    }
    if (const auto bundle = parse_manifest("/nonexistent", text)) {
        fuzz::require(!bundle->files.empty(), "a bundle holds files");
    }
    return 0;
}
