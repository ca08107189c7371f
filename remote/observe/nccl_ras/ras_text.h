// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <remote/observe/nccl_ras/ras_report.h>

namespace rankscope {

/// The text form of NCCL 2.24 to 2.30. Lines that it does not know are skipped.
std::optional<RasReport> read_ras_text(std::string_view answer);

}  // namespace rankscope
