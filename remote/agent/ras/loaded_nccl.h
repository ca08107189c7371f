// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <sys/types.h>

#include <filesystem>
#include <string>
#include <string_view>

namespace rankscope::agent {

/// The version of NCCL that a process has loaded ("2.25.1"), from the names of the library's file and of the Python package
/// that it belongs to. Empty: none is loaded, or neither name holds it.
std::string loaded_nccl_version(pid_t pid);

/// The same for a library's file.
std::string nccl_version_of(const std::filesystem::path& library);

/// The first file of a process's maps (/proc/PID/maps) that is NCCL's library; empty: none.
std::string nccl_library_in(std::string_view maps);

}  // namespace rankscope::agent
