// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <CLI/CLI.hpp>

#include <string>

namespace rankscope::ctl {

/// The manual page of `app` (man(7)): every command with its options, from the same descriptions as --help.
std::string manual_page(const CLI::App& app, const std::string& version);

}  // namespace rankscope::ctl
