// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <base/clock.h>
#include <base/log.h>
#include <base/wait_fd.h>
#include <engine/train/metrics_sink.h>

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace rankscope::engine {
namespace {

constexpr double kFlushWithin = 1;

}  // namespace

MetricsSink::MetricsSink(const std::string& path) : path_(path) {
    if (path_.empty()) {
        gone_ = true;
        return;
    }
    open_pipe();
    if (gone_) {
        log_message(LogLevel::Warning, "metrics: " + path_ + " cannot be opened: " + std::strerror(errno) +
                                           "; training continues without it");
    }
}

MetricsSink::~MetricsSink() {
    flush();
    if (descriptor_ >= 0) {
        close(descriptor_);
    }
}

/// A pipe without a reader cannot be opened for writing yet (ENXIO): tried again with the next line.
void MetricsSink::open_pipe() {
    descriptor_ = open(path_.c_str(), O_WRONLY | O_NONBLOCK | O_APPEND | O_CLOEXEC);
    gone_ = descriptor_ < 0 && errno != ENXIO;
}

void MetricsSink::write(const MetricsLine& line) {
    const std::lock_guard lock(mutex_);
    if (gone_) {
        return;
    }
    std::string text = format_metrics_line(line);
    // A longer line would not be written in one piece, and the lines of several processes might mix.
    constexpr std::size_t kAtomic = 4096;
    if (text.size() > kAtomic) {
        MetricsLine shorter = line;
        shorter.detail = shorter.detail.substr(0, 1000) + "…";
        text = format_metrics_line(shorter);
    }
    backlog_bytes_ += text.size();
    backlog_.push_back(std::move(text));
    push();
    while (backlog_bytes_ > kMaxBacklog) {
        backlog_bytes_ -= backlog_.front().size();
        backlog_.pop_front();
    }
}

void MetricsSink::push() {
    if (descriptor_ < 0 && !gone_) {
        open_pipe();
    }
    while (descriptor_ >= 0 && !backlog_.empty()) {
        const std::string& text = backlog_.front();
        const ssize_t written = ::write(descriptor_, text.data(), text.size());
        if (written >= 0) {
            backlog_bytes_ -= text.size();
            backlog_.pop_front();
        } else if (errno == EAGAIN) {
            return;
        } else if (errno != EINTR) {
            log_message(LogLevel::Warning, "metrics: " + path_ + ": " + std::strerror(errno) +
                                               "; training continues without it");
            close(descriptor_);
            descriptor_ = -1;
            gone_ = true;
            backlog_.clear();
            backlog_bytes_ = 0;
        }
    }
}

void MetricsSink::stage(StageName name, const std::string& detail, double done, double total) {
    MetricsLine line;
    line.stage = name;
    line.detail = detail;
    if (total > 0) {
        line.values = {{"done", done}, {"total", total}};
    }
    write(line);
}

void MetricsSink::flush() {
    const double deadline = monotonic_s() + kFlushWithin;
    const std::lock_guard lock(mutex_);
    push();
    while (descriptor_ >= 0 && !backlog_.empty() && wait_fd(descriptor_, POLLOUT, deadline)) {
        push();
    }
}

}  // namespace rankscope::engine
