// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <map>
#include <string>
#include <string_view>

namespace rankscope::agent {

/// The NCCL_* lines of a configuration file of NCCL: "NAME=VALUE", '#' begins a comment line. The first of a name counts.
std::map<std::string, std::string> read_nccl_conf(std::string_view text);

/// The same of all variables of NCCL, PyTorch and Gloo, and of names that look like misspelt ones.
std::map<std::string, std::string> read_communication_settings(std::string_view text);

}  // namespace rankscope::agent
