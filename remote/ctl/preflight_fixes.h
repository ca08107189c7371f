// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <base/failure.h>
#include <remote/desk/nodes/inventory/inventory.h>
#include <remote/desk/nodes/transport/prompter.h>
#include <remote/desk/runs/preflight/preflight.h>

#include <filesystem>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

namespace rankscope::ctl {

/// One fix that was shown and confirmed.
struct AppliedFix {
    FailureId check = {};
    Fix fix = {};
    std::string output = {};
    std::optional<Failure> failure = {};
};

struct FixOptions {
    Inventory inventory;
    std::filesystem::path job_file;  ///< fixes that change the job are written there
    Prompter prompter;
    bool ask = true;    ///< before each fix; else all are applied
    bool json = false;  ///< nothing is printed
};

/// Shows the fixes of the checks that do not pass, asks, and applies them. Of the ways out of one check (a command for
/// the nodes, a change of the job) one is enough: those that follow are left out. `before` was applied already: not
/// again.
std::vector<AppliedFix> apply_fixes(const PreflightReport& report, const FixOptions& options,
                                    const std::vector<AppliedFix>& before, const std::stop_token& stop);

}  // namespace rankscope::ctl
