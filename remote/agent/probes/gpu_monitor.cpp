// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <base/clock.h>
#include <remote/agent/probes/gpu_monitor.h>
#include <remote/agent/probes/host_text.h>
#include <remote/wire/sample_keys.h>

#include <algorithm>
#include <iterator>
#include <limits>
#include <string_view>

namespace rankscope::agent {
namespace {

constexpr double kTryAgain = 30;     // a driver that was reset, or is being updated, comes back
constexpr double kMostPause = 600;   // one that hangs leaves a process behind each time
constexpr double kFirstAnswer = 30;  // eight GPUs without persistence mode take seconds to start
constexpr double kLaterAnswer = 5;
constexpr std::size_t kMostLine = 4096;

}  // namespace

GpuMonitor::GpuMonitor(double every_s, NvmlPlace place)
    : every_s_(std::max(0.1, every_s)),
      place_(std::move(place)),
      driver_(place_.has_driver()),
      pause_s_(kTryAgain) {
    start();
}

GpuMonitor::~GpuMonitor() {
    if (program_) {
        program_->abandon();
    }
}

void GpuMonitor::start() {
    const double now = monotonic_s();
    if (!driver_ || program_ || now < start_again_) {
        return;
    }
    start_again_ = now + pause_s_;
    heard_ = now;
    answered_ = false;
    unfinished_.clear();
    if (!smi_) {
        lines_ = {};
        rounds_ = 0;
        program_ = watch_nvml(place_, every_s_);
        smi_ = !program_;
    }
    if (smi_) {
        program_ = Command::start(
            {"nvidia-smi", std::string("--query-gpu=") + (basic_ ? kNvidiaSmiBasicFields : kNvidiaSmiFields),
             "--format=csv,noheader,nounits",
             "--loop-ms=" + std::to_string(static_cast<long>(every_s_ * 1000))},
            std::numeric_limits<double>::infinity());
        if (!program_) {
            silence_ = GpuSilence::NoLibrary;
            smi_ = false;  // the library first, the next time as well
        }
    }
}

void GpuMonitor::add_to(std::vector<pollfd>& fds) const {
    if (program_) {
        program_->add_to(fds);
    }
}

void GpuMonitor::take_smi(std::string_view text) {
    unfinished_ += text;
    std::size_t begin = 0;
    for (auto end = unfinished_.find('\n'); end != std::string::npos; end = unfinished_.find('\n', begin)) {
        const auto line = std::string_view(unfinished_).substr(begin, end - begin);
        if (auto values = parse_nvidia_smi_line(line); !values.empty()) {
            readings_[std::string(line.substr(0, line.find(',')))] = {monotonic_s(), std::move(values)};
            answered_ = true;
        } else if (line.find("not a valid field") != std::string_view::npos && !basic_) {
            basic_ = true;
            start_again_ = 0;
        }
        begin = end + 1;
    }
    unfinished_.erase(0, begin);
    if (unfinished_.size() > kMostLine) {
        unfinished_.clear();
    }
}

void GpuMonitor::step() {
    start();
    if (!program_) {
        return;
    }
    const double now = monotonic_s();
    const bool over = program_->step();
    if (const auto text = std::exchange(program_->output(), {}); !text.empty()) {
        heard_ = now;
        if (smi_) {
            take_smi(text);
        } else {
            lines_.add(text);
            auto errors = lines_.take_errors();
            errors_.insert(errors_.end(), std::make_move_iterator(errors.begin()),
                           std::make_move_iterator(errors.end()));
            if (lines_.rounds() > rounds_) {
                rounds_ = lines_.rounds();
                round_at_ = now;
                answered_ = true;
            }
        }
    }
    if (answered_) {
        silence_ = GpuSilence::None;
        pause_s_ = kTryAgain;
        failure_.reset();
    }
    if (over) {
        ended();
    } else if (now - heard_ > (answered_ ? kLaterAnswer + 3 * every_s_ : kFirstAnswer + every_s_)) {
        program_->abandon();
        program_.reset();
        silence_ = GpuSilence::NoAnswer;
        start_again_ = now + pause_s_;
        pause_s_ = std::min(2 * pause_s_, kMostPause);
    }
}

void GpuMonitor::ended() {
    program_.reset();
    if (smi_) {
        silence_ = answered_ || basic_ ? silence_ : GpuSilence::DriverError;
        smi_ = answered_ || start_again_ == 0;
        return;
    }
    failure_ = lines_.failure();
    if (!failure_ || failure_->what == "open") {
        smi_ = !answered_;  // of another libc, or without the library: the tool may be there
        start_again_ = smi_ ? 0 : start_again_;
        return;
    }
    silence_ = GpuSilence::DriverError;
}

bool GpuMonitor::fresh(double at) const {
    return monotonic_s() - at < 3 * every_s_ + 2;
}

GpuSilence GpuMonitor::silence() const {
    return silence_;
}

std::vector<std::pair<std::string, double>> GpuMonitor::latest() const {
    std::vector<std::pair<std::string, double>> all;
    if (lines_.rounds() > 0 && fresh(round_at_)) {
        all = lines_.sample();
    }
    for (const auto& [index, reading] : readings_) {
        if (fresh(reading.at)) {
            all.insert(all.end(), reading.values.begin(), reading.values.end());
        }
    }
    if (all.empty() && silence_ != GpuSilence::None) {
        all.emplace_back(sample_key::kGpuUnavailable, static_cast<double>(silence_));
    }
    return all;
}

std::map<int, std::vector<NvmlProcess>> GpuMonitor::processes() const {
    std::map<int, std::vector<NvmlProcess>> all;
    if (lines_.rounds() > 0 && fresh(round_at_)) {
        for (const auto& [index, gpu] : lines_.gpus()) {
            all[index] = gpu.processes;
        }
    }
    return all;
}

std::vector<NvmlError> GpuMonitor::take_errors() {
    return std::exchange(errors_, {});
}

}  // namespace rankscope::agent
