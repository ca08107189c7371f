// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <remote/wire/frames.pb.h>

#include <filesystem>
#include <string_view>

namespace rankscope::agent {

/// The ports of InfiniBand and RoCE devices, in the order of their names.
wire::HostInspection inspect_infiniband(const std::filesystem::path& root = "/sys/class/infiniband");

/// "ACTIVE" of "4: ACTIVE"; the whole text where it has no number.
std::string_view without_number(std::string_view text);

}  // namespace rankscope::agent
