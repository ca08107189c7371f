// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <base/clock.h>
#include <remote/agent/probes/gpu_monitor.h>
#include <remote/agent/probes/host_text.h>

#include <unistd.h>

#include <algorithm>
#include <limits>
#include <string_view>

namespace rankscope::agent {
namespace {

constexpr double kTryAgain = 30;  // a driver that was reset, or is being updated, comes back
constexpr std::size_t kMaxLine = 4096;

}  // namespace

GpuMonitor::GpuMonitor(double every_s, const std::filesystem::path& device)
    : every_s_(std::max(0.1, every_s)) {
    if (::access(device.c_str(), F_OK) != 0) {
        start_again_ = std::numeric_limits<double>::infinity();
    }
    start();
}

void GpuMonitor::start() {
    if (smi_ || monotonic_s() < start_again_) {
        return;
    }
    start_again_ = monotonic_s() + kTryAgain;
    unfinished_.clear();
    smi_ = Command::start(
        {"nvidia-smi", std::string("--query-gpu=") + (basic_ ? kNvidiaSmiBasicFields : kNvidiaSmiFields),
         "--format=csv,noheader,nounits", "--loop-ms=" + std::to_string(static_cast<long>(every_s_ * 1000))},
        std::numeric_limits<double>::infinity());
}

void GpuMonitor::add_to(std::vector<pollfd>& fds) const {
    if (smi_) {
        smi_->add_to(fds);
    }
}

void GpuMonitor::step() {
    start();
    if (!smi_) {
        return;
    }
    const bool ended = smi_->step();
    unfinished_ += smi_->output();
    smi_->output().clear();
    std::size_t begin = 0;
    for (auto end = unfinished_.find('\n'); end != std::string::npos; end = unfinished_.find('\n', begin)) {
        const auto line = std::string_view(unfinished_).substr(begin, end - begin);
        if (auto values = parse_nvidia_smi_line(line); !values.empty()) {
            readings_[std::string(line.substr(0, line.find(',')))] = {monotonic_s(), std::move(values)};
        } else if (line.find("not a valid field") != std::string_view::npos && !basic_) {
            basic_ = true;
            start_again_ = 0;
        }
        begin = end + 1;
    }
    unfinished_.erase(0, begin);
    if (unfinished_.size() > kMaxLine) {
        unfinished_.clear();
    }
    if (ended) {
        smi_.reset();
    }
}

std::vector<std::pair<std::string, double>> GpuMonitor::latest() const {
    std::vector<std::pair<std::string, double>> all;
    for (const auto& [index, reading] : readings_) {
        if (monotonic_s() - reading.at < 3 * every_s_ + 2) {
            all.insert(all.end(), reading.values.begin(), reading.values.end());
        }
    }
    return all;
}

}  // namespace rankscope::agent
