// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <remote/wire/frames.pb.h>

#include <map>
#include <string>

namespace rankscope::inline nodes {

/// What users compare of the versions that a host inspection found: driver, CUDA, NCCL, cuDNN, PyTorch, Python; by
/// the names of wire::Version. Other names and what is not installed are left out.
std::map<std::string, std::string> library_versions(const wire::HostInspection& host);

/// "PyTorch"; empty for a name that library_versions() leaves out.
std::string version_label(const std::string& name);

}  // namespace rankscope::inline nodes
