// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <remote/wire/event.h>

#include <nlohmann/json.hpp>

namespace rankscope {

/// The public form of events (design page, `run --json`):
/// {"event":"stage|metric|log|exit|diagnosis|end","t":…, "seq":…,"node":…,"rank":…, …}. "t" is in seconds
/// since 1970; "node" is "" and "rank" null where there is none. Metric values stand beside the fixed keys by
/// their own names: {"event":"metric","step":12,"loss":0.3,…}; NaN is null.
nlohmann::ordered_json to_json(const Event& event);
/// One line without '\n'; bytes that are not UTF-8 are replaced.
std::string to_json_line(const Event& event);

/// The body alone: what "event", "t", "seq", "node" and "rank" do not say.
nlohmann::ordered_json body_json(const EventBody& body);
/// The same as text, for the run store, and back. false: the text is not such a body.
std::string body_to_json(const EventBody& body);
bool body_from_json(const std::string& kind, const std::string& json, EventBody& body);
bool read_body(const std::string& kind, const nlohmann::ordered_json& json, EventBody& body);

}  // namespace rankscope
