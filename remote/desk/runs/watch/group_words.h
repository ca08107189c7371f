// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <remote/observe/mesh/group_roles.h>

#include <map>
#include <string>
#include <vector>

namespace rankscope::inline runs {

/// "tp group 2 (ranks 4, 5)"; empty: its purpose is unknown.
std::string group_words(const GroupPlace& place, const ObservedGroup& group);
/// By ObservedGroup::name, those that are known.
std::map<std::string, std::string> words_of_groups(const std::vector<ObservedGroup>& groups, int world_size);

}  // namespace rankscope::inline runs
