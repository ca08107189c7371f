// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <remote/desk/archive/failure_bundle/redactor.h>
#include <remote/desk/runs/store/run_store.h>

#include <string>

namespace rankscope::inline archive {

/// Knows the names that the run's job lists as secret.
Redactor redactor_of(const RunRecord& run, bool hide_users = false);
/// The job file as others may see it: without the values of secret variables, also where an earlier version stored them,
/// and without the secrets of its commands.
std::string shown_job(const RunRecord& run, Redactor& redactor, const std::string& where);

}  // namespace rankscope::inline archive
