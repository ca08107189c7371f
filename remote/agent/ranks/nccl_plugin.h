// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <remote/wire/frames.pb.h>

#include <filesystem>
#include <map>
#include <string>

namespace rankscope::agent {

/// Whether the plan asks for librankscope-nccl.so in this rank.
bool wants_nccl_plugin(const wire::RankSpec& rank);

/// Why NCCL must not be given ours, in the words of NcclEvent::unavailable; empty: it may. `login_plugin` is what the node's
/// own environment says of NCCL_PROFILER_PLUGIN ("" where it says nothing): NCCL's words for no plugin, or for one that is
/// linked into the program, win.
std::string plugin_refused(const std::string& login_plugin);

/// Puts the node's paths into the variables of base/nccl_plugin_variables.h. The user's own library, of the job or of the
/// node, is loaded through ours. An empty path: ours is not loaded, the variables are as without Rankscope.
void place_nccl_plugin(std::map<std::string, std::string>& env, const std::string& login_plugin,
                       const std::filesystem::path& library, const std::filesystem::path& folder);

/// The library as NCCL may be given it: releases before 2.28 take names of less than 255 bytes. A longer one gets a link
/// in `folder`. Empty: the library is not there, or no link can be made.
std::filesystem::path loadable_nccl_plugin(const std::filesystem::path& library,
                                           const std::filesystem::path& folder);

}  // namespace rankscope::agent
