// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <remote/desk/runs/preflight/node_view.h>
#include <remote/diagnosis/check.h>

#include <string>
#include <vector>

namespace rankscope::inline runs {

/// How the nodes resolve their own and each other's names. A name that the run uses (as MASTER_ADDR) must lead every
/// node to the right one; of the others, programs that look them up (Gloo without an interface, torchrun's c10d
/// rendezvous, Ray) fail: a warning.
std::vector<Check> name_checks(const std::vector<NodeView>& views, std::size_t master,
                               const std::string& master_address);

}  // namespace rankscope::inline runs
