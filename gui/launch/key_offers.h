// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <remote/desk/nodes/session/node_facts.h>

#include <QString>
#include <string>
#include <utility>
#include <vector>

namespace rankscope::gui {

/// A value that a field offers, beside what can be typed.
struct KeyOffer {
    QString value;
    QString meaning;
};

/// `dataset`: what "standard" is depends on it.
std::vector<KeyOffer> augment_offers(const std::string& dataset);
std::vector<KeyOffer> normalize_offers();
/// The interfaces that are up on the nodes, by name; those of all nodes first. Nodes without facts say nothing.
std::vector<KeyOffer> interface_offers(const std::vector<std::pair<std::string, NodeFacts>>& nodes);

}  // namespace rankscope::gui
