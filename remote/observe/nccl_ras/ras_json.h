// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <remote/observe/nccl_ras/ras_report.h>

namespace rankscope {

/// The JSON form of NCCL 2.28.7 and later.
std::optional<RasReport> read_ras_json(std::string_view answer);

/// Inserts the comma that a number, a word or a bracket lacks before the key that follows it. The same text where
/// none lacks.
std::string with_missing_commas(std::string_view json);

}  // namespace rankscope
