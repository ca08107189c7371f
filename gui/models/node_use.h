// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <gui/models/fleet_model.h>

#include <QString>
#include <cstdint>

/// What the devices of a node do now, in words.
namespace rankscope::gui {

/// "87 %, 61 °C": mean use of the GPUs and the hottest one; "CPU 45 %" where there is none. Empty: not known.
QString use_text(const FleetNode& node);
/// One figure a line, the newest; with their age.
QString use_tool_tip(const FleetNode& node, std::int64_t now_us);
/// "GPU 3: rank 3 trains, 97 %, 61 of 80 GiB, 64 °C".
QString slot_text(const DeviceSlot& slot);
/// The same without its number; empty: not known.
QString slot_figures(const DeviceSlot& slot);
/// A line per slot.
QString slots_text(const FleetNode& node);
/// "As of 12 s ago", or why there are no figures: not probed, the probe failed, or only facts of an earlier session.
QString figures_age_text(const FleetNode& node, std::int64_t now_us);
/// There are figures, but they are older than ten seconds.
bool is_aged(const FleetNode& node, std::int64_t now_us);

}  // namespace rankscope::gui
