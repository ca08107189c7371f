// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <remote/desk/runs/run/run_state.h>

#include <string>
#include <vector>

namespace rankscope::gui {

// Figures in a node's samples; keys and units: remote/wire/sample_keys.h.

/// Null: the node has not reported it.
const NodeSamples::Value* find_value(const NodeSamples& node, const std::string& key);
/// NaN: the node has not reported it.
double last_value(const NodeSamples& node, const std::string& key);
std::vector<std::string> interfaces_of(const NodeSamples& node);
/// The interface that carries most: the others are bridges and the like. Empty: none is known.
std::string busiest_interface(const NodeSamples& node);

}  // namespace rankscope::gui
