// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <remote/desk/jobs/config/job.h>

#include <optional>
#include <set>
#include <string>
#include <string_view>

namespace rankscope::inline jobs {

/// What is shown and stored instead of the value of a secret variable.
inline constexpr const char* kSecretMask = "***";

/// Names that look secret: …TOKEN, …SECRET, …PASSWORD, …CREDENTIALS, …_KEY and the like, in any case.
bool is_secret_name(std::string_view name);
/// All secret variables of the job: by their name, or listed under secret_env.
std::set<std::string> secret_names(const Job& job);
/// The text of the job file with kSecretMask for the values of secret variables. Unchanged where there is none;
/// else without comments.
std::string with_masked_secrets(const std::string& yaml, const Job& job);
/// A job that comes from the run store has no secrets: which one is missing.
std::optional<Failure> missing_secret(const Job& job);

}  // namespace rankscope::inline jobs
