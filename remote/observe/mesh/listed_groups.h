// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <remote/observe/mesh/group_roles.h>

#include <string_view>
#include <vector>

namespace rankscope {

/// The groups that a line of output lists, each with its axis as description; none: it lists no groups. Forms:
/// lists of ranks behind words of a purpose ("All tensor model parallel group ranks: [[0, 1], [2, 3]]", NeMo), places on axes
/// ("{ProcessCoord(pipe=0, data=0): 0, …}", DeepSpeed), shapes ("DeviceMesh((dp=2, tp=2), 'cuda', stride=(2, 1))", PyTorch;
/// "device mesh with ['dp', 'tp'], [2, 2]"). A mesh of a part of the ranks begins with rank 0, too: its caller knows how many
/// there are.
std::vector<ObservedGroup> groups_of_line(std::string_view line);

}  // namespace rankscope
