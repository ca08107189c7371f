// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <base/fd.h>
#include <remote/wire/frames.pb.h>

#include <sys/types.h>

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace rankscope::agent {

inline constexpr const char* kKernelLog = "/dev/kmsg";

/// The records that the kernel adds to its log from now on, where it may be read (root, or kernel.dmesg_restrict=0).
/// Of any other file: the lines that are added, as the kernel writes them: "6,1234,5678901,-;text".
class KernelLogTail {
public:
    explicit KernelLogTail(const std::filesystem::path& file = kKernelLog);

    /// Readable when a record has come; -1: the log cannot be read.
    int fd() const { return log_ ? log_.get() : -1; }
    /// Calls for each record since the last call; never waits.
    void read(const std::function<void(std::string_view record)>& call);

private:
    UniqueFd log_;
    bool grows_ = false;  // a file, whose end is not the last
    std::string partial_;
};

/// A record of /dev/kmsg by "NVRM: Xid", its time since the boot; false: it is another.
bool read_xid(std::string_view record, wire::GpuError& error);

/// A GPU that the driver misses, said without an Xid: "NVRM: GPU at PCI:0000:83:00.0 has fallen off the bus." → Xid 79.
bool read_lost_gpu(std::string_view record, wire::GpuError& error);

/// The interface that has lost its link, by its driver or a bond; empty: the record says nothing of the kind.
std::string read_lost_link(std::string_view record);

/// The process that the kernel killed to free memory, or is about to kill; nothing: the record says nothing of the kind.
std::optional<pid_t> read_oom_kill(std::string_view record);

}  // namespace rankscope::agent
