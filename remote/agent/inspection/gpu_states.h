// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <remote/agent/inspection/inspection_scope.h>

#include <string>
#include <string_view>
#include <vector>

namespace rankscope::agent {

/// State of the NVIDIA GPUs and the processes on them, by NVML, else by nvidia-smi, and the driver's errors (Xid) in the
/// kernel log where it may be read. With NVML also the versions "compute.INDEX" (compute capability) and "driver.cuda" (the
/// newest CUDA version of the driver). A driver that hangs costs its deadline.
wire::HostInspection inspect_gpus(const InspectionScope& scope, const Tools& tools);

/// What `nvidia-smi --query-gpu` is asked for, in this order; the name is the last, because it may hold a comma.
const std::vector<std::string>& gpu_fields();
/// Its CSV without header and units for these fields. Lines that do not begin with an index are skipped.
std::vector<wire::GpuState> read_gpus(std::string_view csv, const std::vector<std::string>& fields);
/// The field that this driver does not know; empty: it knows all.
std::string unknown_field(std::string_view output);
/// `--query-compute-apps=gpu_uuid,pid,used_memory` into the GPUs; users and commands are left to the caller.
void read_gpu_processes(std::string_view csv, std::vector<wire::GpuState>& gpus);

}  // namespace rankscope::agent
