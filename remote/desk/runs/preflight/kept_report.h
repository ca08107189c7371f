// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <remote/desk/runs/preflight/preflight.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace rankscope::inline runs {

/// A report, and what it does not know itself.
struct KeptReport {
    PreflightReport report;
    PreflightDepth depth = PreflightDepth::Full;
    std::int64_t made_us = 0;  ///< µs since 1970, of its end
};

/// As bytes for the run store, with every typed fact but the environment of the ranks and the rules of the firewalls.
std::string to_bytes(const KeptReport& report);
/// Nothing: the bytes are no report, or a damaged one.
std::optional<KeptReport> report_from_bytes(std::string_view bytes);

}  // namespace rankscope::inline runs
