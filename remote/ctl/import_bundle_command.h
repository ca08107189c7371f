// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <remote/ctl/options.h>

#include <string>

namespace rankscope::ctl {

/// Adds the run of a failure bundle to the run store: `bundle --open FILE` and `runs import FILE`. The exit code.
int import_bundle_file(const GlobalOptions& options, const std::string& file);

}  // namespace rankscope::ctl
