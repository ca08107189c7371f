// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <QString>
#include <map>
#include <string>
#include <vector>

namespace rankscope::gui {

/// What to show of the nodes' names where there is little room. Those with more than `most` characters lose of what they
/// share at the beginning and the end, with "…" instead: the part that differs stays.
std::map<std::string, QString> node_labels(const std::vector<std::string>& names, int most = 16);

}  // namespace rankscope::gui
