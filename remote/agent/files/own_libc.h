// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <filesystem>
#include <optional>
#include <string>

namespace rankscope::agent {

/// A bundle brings the C library that its worker was built with ("glibc-libc.so.6", …), for nodes whose own is older, or is
/// another one (musl). There, a copy of the worker names the bundle's loader, which takes the library next to it; the
/// node's programs keep theirs.

/// What of the bundle in `folder` (absolute) runs on this node: `entry`, or its copy, made if need be. `entry` as well where
/// neither runs: its own message says why. Starts the program once or twice.
std::string startable_entry(const std::filesystem::path& folder, const std::string& entry);

/// Makes the copy and returns its path below `folder`; nothing: the bundle has no C library, or the folder cannot be written.
std::optional<std::string> make_copy_with_own_libc(const std::filesystem::path& folder,
                                                   const std::string& entry);

/// An ELF program of 64 bits with another loader (PT_INTERP, elf(5)); nothing: it is none, or has no loader.
std::optional<std::string> with_loader(std::string program, const std::string& loader);

}  // namespace rankscope::agent
