// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <remote/wire/frames.pb.h>

#include <string_view>

namespace rankscope::agent {

/// A record of /dev/kmsg by "NVRM: Xid", its time since the boot; false: it is another.
bool read_xid(std::string_view record, wire::GpuError& error);

}  // namespace rankscope::agent
