// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <remote/agent/probes/host_text.h>
#include <remote/wire/frames.pb.h>

#include <filesystem>
#include <map>
#include <string>

namespace rankscope::agent {

/// Processors, memory, disk and network of this node. Shares and rates are of the time since the last sample;
/// the first one, and one that follows at once, has none.
class HostSampler {
public:
    /// `disk`: a folder on the file system whose room counts.
    explicit HostSampler(std::filesystem::path disk);

    wire::Sample take();

private:
    std::filesystem::path disk_;
    double last_s_;
    CpuTime cpu_;
    std::map<std::string, Traffic> traffic_;
};

/// When the next sample is due, after the one that was due at `due` and is taken `now`. Late ones (the
/// machine was busy, or slept) are not made up for, and none follows another so closely that it has no shares
/// and rates.
double next_sample_due(double due, double now, double every_s);

}  // namespace rankscope::agent
