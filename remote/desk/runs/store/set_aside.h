// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <base/failure.h>
#include <base/result.h>

#include <cstdint>
#include <filesystem>
#include <optional>

namespace rankscope::inline runs {

/// Why the run store cannot be used or is damaged; null: it is in order, or there is none. Reads the whole file.
std::optional<Failure> store_problem(const std::filesystem::path& path);

/// Whether a new run store helps: the file is damaged, no run store, or of a newer version.
bool can_set_aside(const Failure& failure);

/// Renames a run store, with what SQLite keeps beside it, to "runs-2026-11-25-080250.sqlite" in the same folder and
/// returns that name. All of its files are renamed, or none. "store-busy": a program has it open, this one included: SQLite
/// would later remove files of the new store.
Result<std::filesystem::path> set_aside_store(const std::filesystem::path& path, std::int64_t now_us);

}  // namespace rankscope::inline runs
