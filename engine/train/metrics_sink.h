// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <base/metrics_line.h>

#include <cstddef>
#include <deque>
#include <mutex>
#include <string>

namespace rankscope::engine {

/// Writes metric lines to the pipe that RANKSCOPE_METRICS names. Never blocks and never fails: what a slow
/// reader does not take is kept (up to kMaxBacklog bytes, then the oldest lines go), a reader that is gone
/// ends the writing. Thread-safe.
class MetricsSink {
public:
    /// An empty path: silent.
    explicit MetricsSink(const std::string& path);
    ~MetricsSink();
    MetricsSink(const MetricsSink&) = delete;
    MetricsSink& operator=(const MetricsSink&) = delete;

    void write(const MetricsLine& line);
    void stage(StageName name, const std::string& detail = "", double done = 0, double total = 0);
    /// Waits up to a second for the reader to take what is kept.
    void flush();

private:
    static constexpr std::size_t kMaxBacklog = std::size_t{16} << 20U;

    void open_pipe();
    void push();

    std::mutex mutex_;
    std::string path_;
    int descriptor_ = -1;
    bool gone_ = false;
    std::deque<std::string> backlog_;
    std::size_t backlog_bytes_ = 0;
};

}  // namespace rankscope::engine
