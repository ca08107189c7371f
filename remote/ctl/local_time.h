// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <cstdint>
#include <string>

namespace rankscope::ctl {

/// "2026-11-21 10:15:00" by this computer's clock and zone.
std::string local_time_text(std::int64_t t_us);

}  // namespace rankscope::ctl
