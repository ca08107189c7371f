// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <base/config/key_table.h>
#include <remote/desk/jobs/config/job.h>

#include <string>
#include <vector>

namespace rankscope::inline jobs {

/// Every key of a job file but those below `train` (base/config/train_keys.h).
const config::KeyTable<Job>& job_keys();

/// All keys of a job file, those below `train` with that prefix, in the order of the documentation.
const std::vector<config::KeyInfo>& all_job_keys();

struct JobLauncher;
bool is_for_launcher(const config::KeyInfo& info, const JobLauncher& launcher);
/// Whether the job is one that the key is for: launcher, and native engine or own program.
bool applies(const config::KeyInfo& info, const Job& job);

/// "text", "whole number from 1 to 1024", "one of: auto, nccl, gloo", …
std::string type_of(const config::KeyInfo& info);
/// "10", "the user's cache on the node"; empty: the key is required.
std::string default_of(const config::KeyInfo& info);

/// docs/job-keys.md.
std::string job_keys_markdown();
nlohmann::json job_keys_json();
/// For a terminal.
std::string job_keys_text();

}  // namespace rankscope::inline jobs
