// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <filesystem>
#include <string>

namespace rankscope::inline nodes {

/// Appends one entry ("host type key") to a known_hosts file unless the file already has this line. Creates
/// the file (0600) and its folder (0700) where they are missing. Existing lines are never rewritten, so hashed
/// entries, comments and lines that other programs add at the same time stay. Safe from any thread.
/// Returns errno, 0 for success.
int add_known_host(const std::filesystem::path& file, const std::string& entry);

}  // namespace rankscope::inline nodes
