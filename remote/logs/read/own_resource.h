// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <filesystem>
#include <string>

namespace rankscope::logs {

/// The file or folder of that name that Rankscope brings: beside the program, or in the source tree. Empty: not found.
std::filesystem::path own_resource(const std::string& name);

}  // namespace rankscope::logs
