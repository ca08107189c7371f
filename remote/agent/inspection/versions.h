// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <remote/agent/inspection/inspection_scope.h>
#include <remote/agent/inspection/programs.h>

#include <string_view>

namespace rankscope::agent {

/// Versions of what training depends on: kernel, machine, libc, the NVIDIA driver (driver) and its library
/// (driver.library), the libraries of the system (nccl.system, cudnn.system, cublaslt.13.system of CUDA 13, cuda.system) and, where the request names
/// an interpreter, those that its packages bring (python, torch, cuda, nccl, cudnn). torch is not imported.
wire::HostInspection inspect_versions(const InspectionScope& scope, const FoundPrograms& programs);

/// The version in a text like /proc/driver/nvidia/version; empty: none.
std::string driver_version(std::string_view text);
/// What follows ".so." in the name of a library: "2.18.5" of "libnccl.so.2.18.5"; empty: nothing does.
std::string library_version(std::string_view file);
/// Lines "name<TAB>version" of our question to the interpreter, the first of each name; others are skipped.
std::map<std::string, std::string> read_packages(std::string_view text);

}  // namespace rankscope::agent
