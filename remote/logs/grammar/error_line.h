// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <base/enum_names.h>
#include <remote/logs/grammar/log_line.h>

#include <array>
#include <optional>
#include <string_view>

namespace rankscope::logs {

/// The layer of the stack that prints an error: whose documentation explains it.
enum class ErrorLayer {
    Nvshmem,
    DeepEp,
    Libfabric,  ///< and aws-ofi-nccl, its plugin for NCCL
    Ucx,
    Rccl,  ///< and HIP, ROCm
    Nccl,
    Gloo,
    Mpi,
    Ray,
    Slurm,
    Kubernetes,  ///< and container runtimes
    Driver,      ///< the NVIDIA driver and the kernel
    Cuda,        ///< and cuDNN, cuBLAS
    Torch,
    Horovod,
    Ssh,
    Python,   ///< an exception
    Program,  ///< none that is known
};

/// One of them is in every line that error_line() takes, unless its level says that it is an error.
inline constexpr auto kErrorWords = std::to_array<std::string_view>({"rror",          "ERROR",
                                                                     "ailed",         "FAILED",
                                                                     "annot ",        "ould not ",
                                                                     "ouldn't ",      "nable to ",
                                                                     "NULL ",         "enied",
                                                                     "bort",          "died",
                                                                     " dead",         "atal",
                                                                     "FATAL",         "panic",
                                                                     "nvalid",        "WARN",
                                                                     "what()",        "xception",
                                                                     "xceeded",       "Segmentation fault",
                                                                     "Bus error",     "terminate called",
                                                                     "not found",     "no such",
                                                                     "not supported", "unexpectedly",
                                                                     "ejected",       "refused",
                                                                     "nvshmem",       "NVSHMEM",
                                                                     "truncated",     "Interrupt",
                                                                     "Exit:",         "Failure:",
                                                                     "NotFound",      "Timeout",
                                                                     "Mismatch",      "Unavailable",
                                                                     "StopIteration"});

/// A line that reports an error.
struct ErrorLine {
    ErrorLayer layer = ErrorLayer::Program;
    std::string_view what;  ///< the message, without its prefixes; points into the line
};

/// Whether a line looks like an error, by its level, its grammar or its words, and of which layer it is. A warning counts
/// where a layer of the network prints it: NVSHMEM, libfabric and UCX warn of what ends a run. Words of failure alone do
/// not make an error of a sentence of a program.
std::optional<ErrorLine> error_line(const LogLine& line);

}  // namespace rankscope::logs

namespace rankscope {

template <>
struct EnumNames<logs::ErrorLayer> {
    static constexpr auto names = std::to_array<const char*>(
        {"nvshmem", "deepep", "libfabric", "ucx", "rccl", "nccl", "gloo", "mpi", "ray", "slurm", "kubernetes",
         "driver", "cuda", "torch", "horovod", "ssh", "python", "program"});
};

}  // namespace rankscope
