// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <base/fd.h>
#include <remote/wire/frames.pb.h>

#include <linux/tcp.h>

#include <array>
#include <cstdint>
#include <string>

namespace rankscope::agent {

/// What a connection to a ProbeListener shows beyond that it stands: delay; loss, by small segments, more of them once
/// one was lost; then path MTU and bandwidth, by as many bytes as go in 3 s. Never blocks.
class PathMeasure {
public:
    /// `segments`: at most 1000; `bulk_bytes`: at most 32 MiB.
    PathMeasure(UniqueFd fd, int family, std::uint32_t segments, std::uint32_t bulk_bytes, double now);

    int fd() const { return fd_.get(); }
    short events() const;
    /// When step() is due, whatever poll(2) reports.
    double due() const { return due_; }
    void step(double now, short revents);
    bool done() const { return phase_ == Phase::Done; }
    /// Outcome (CONNECTED or STALLED), and all fields that it measures.
    void fill(wire::ConnectResult& result) const;

private:
    enum class Phase { Segments, Drain, Bulk, Count, Done };

    void send_segment(double now);
    void drain(double now);
    void begin_bulk(double now, const tcp_info& info);
    void send_bulk();
    void read_count(double now);
    void watch_progress(double now);
    void finish(bool stalled);

    UniqueFd fd_;
    int family_;
    std::uint32_t segments_;
    std::uint64_t bulk_;
    Phase phase_ = Phase::Segments;
    double due_;
    double phase_began_;
    std::uint32_t segments_sent_ = 0;
    std::uint64_t segment_bytes_ = 0;
    std::uint64_t bulk_queued_ = 0;
    std::uint64_t acked_before_ = 0;
    std::uint64_t acked_ = 0;
    double progress_ = 0;   ///< when the last byte was acknowledged
    bool counted_ = false;  ///< the other side said how much arrived
    std::string count_;
    wire::ConnectResult measured_;
};

}  // namespace rankscope::agent
