// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <base/failure.h>
#include <remote/desk/runs/store/sqlite.h>

#include <string>

namespace rankscope::inline runs {

/// Why the last call on `database` failed, with what to do about it: "store-full", "store-read-only", "store-busy",
/// "store-damaged", else "store". `what`: the sentence for users, translated.
Failure store_failure(const std::string& path, std::string what, const Database& database);

}  // namespace rankscope::inline runs
