// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <remote/desk/nodes/session/node_facts.h>
#include <remote/wire/frames.pb.h>

#include <nlohmann/json.hpp>

namespace rankscope::inline nodes {

nlohmann::json to_json(const NodeFacts& facts);
/// Missing or wrong keys keep their defaults: old stores stay readable.
NodeFacts facts_from_json(const nlohmann::json& json);
NodeFacts facts_from_wire(const wire::NodeFacts& frame);

}  // namespace rankscope::inline nodes
