// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <remote/observe/nccl_activity/collective_report.h>

#include <nlohmann/json_fwd.hpp>

#include <cstddef>
#include <limits>
#include <string>

namespace rankscope::ctl {

/// "0x7f8c496ae9f661".
std::string collective_hash(CommunicatorHash id);
/// A row for machines.
nlohmann::ordered_json collective_json(const CollectiveReport& report, const CollectiveRow& row);
/// The rows as a table on standard output, those of merge_alike(), `most` at most; nothing where there are none.
void print_collectives(const CollectiveReport& report,
                       std::size_t most = std::numeric_limits<std::size_t>::max());

}  // namespace rankscope::ctl
