// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <remote/ctl/options.h>

#include <string>

namespace rankscope::ctl {

/// `runs import PATH`, `bundle --open FILE`: what another program left, into the run store. The exit status.
int import_into_store(const GlobalOptions& options, const std::string& path);

}  // namespace rankscope::ctl
