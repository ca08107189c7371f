// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <remote/desk/runs/watch/hang_rule.h>

#include <algorithm>
#include <vector>

namespace rankscope::inline runs {
namespace {

constexpr double kFloorS = 4.5;      // a shorter silence is nothing to look at
constexpr double kLatestLookS = 10;  // a look costs little: what is certain shows, however slow the steps are
constexpr double kStartS = 300;      // imports, data, compilation
constexpr double kTimesUsual = 3;    // of the usual interval
constexpr std::size_t kRemember = 300;  // intervals

}  // namespace

bool HangRule::active() const {
    return started_ && paused_.empty() && !ending_;
}

void HangRule::start_clock(double now) {
    last_sign_ = last_sign_ > 0 ? last_sign_ : now;
    if (started_at_ <= 0 && started_) {
        started_at_ = now;
    }
}

// A program that writes no steps cannot be said to have made none.
bool HangRule::in_long_phase(double now) const {
    const bool starts = !steps_seen_ && (started_at_ <= 0 || now - started_at_ < kStartS);
    return starts || !long_phases_.empty();
}

double HangRule::silent_s(double now) const {
    return active() ? std::max(0.0, now - last_sign_) : 0;
}

double HangRule::look_after_s() const {
    if (hang_after_s_ > 0) {
        return std::min(hang_after_s_, kLatestLookS);
    }
    return steps_seen_ || output_seen_ ? std::clamp(kTimesUsual * usual_s(), kFloorS, kLatestLookS)
                                       : kLatestLookS;
}

// The 98th percentile: one outlier in fifty says nothing, and an epoch's end every fifty steps does.
double HangRule::usual_s() const {
    if (intervals_.empty()) {
        return 0;
    }
    std::vector<double> sorted(intervals_.begin(), intervals_.end());
    const auto at = sorted.begin() + static_cast<std::ptrdiff_t>((sorted.size() - 1) * 98 / 100);
    std::nth_element(sorted.begin(), at, sorted.end());
    return *at;
}

std::optional<double> HangRule::rank_silent_s(int rank, double now) const {
    const auto found = rank_signs_.find(rank);
    return found == rank_signs_.end() ? std::nullopt : std::optional(std::max(0.0, now - found->second));
}

void HangRule::observe(const Event& event, double now) {
    const bool was_active = active();
    const bool sign = learn(event);
    if (event.rank >= 0 && (sign || event.as<LogEvent>() != nullptr)) {
        rank_signs_[event.rank] = now;
    }
    if (sign) {
        ++signs_;
        last_sign_ = now;
    } else if (active() && !was_active) {
        last_sign_ = now;  // its silence begins when it starts, or continues
    }
}

void HangRule::note_progress(double now) {
    if (active()) {
        ++signs_;
        last_sign_ = now;
    }
}

void HangRule::learn_interval(std::int64_t t_us) {
    if (last_sign_us_ > 0 && t_us > last_sign_us_) {
        intervals_.push_back(static_cast<double>(t_us - last_sign_us_) / 1e6);
        if (intervals_.size() > kRemember) {
            intervals_.pop_front();
        }
    }
    last_sign_us_ = std::max(last_sign_us_, t_us);
}

// Whether it is a sign of progress.
bool HangRule::learn(const Event& event) {
    if (const auto* metric = event.as<MetricEvent>()) {
        started_ = true;
        auto& last = steps_.try_emplace(event.rank, -1).first->second;
        const bool stepped = metric->step > last;
        last = std::max(last, metric->step);
        if (stepped && !steps_seen_) {
            steps_seen_ = true;
            intervals_.clear();  // what came before the first step shows nothing of the steps
            last_sign_us_ = 0;
        }
        if (stepped) {
            long_phases_.erase(event.rank);
            learn_interval(event.t_us);
        }
        return true;
    }
    if (event.as<LogEvent>() != nullptr) {
        output_seen_ = true;
        started_ = true;
        if (!steps_seen_) {
            learn_interval(event.t_us);
        }
        return !steps_seen_;
    }
    if (const auto* stage = event.as<StageEvent>()) {
        return learn_stage(event, *stage);
    }
    if (const auto* exit = event.as<ExitEvent>()) {
        if (exit->requested || exit->code != 0 || exit->signal != 0) {
            ending_ = true;
        } else {
            finished_.insert(event.rank);
        }
        return true;
    }
    if (const auto* end = event.as<EndEvent>()) {
        ending_ = ending_ || event.node.empty() || end->outcome != Outcome::Done;
    }
    return false;
}

bool HangRule::learn_stage(const Event& event, const StageEvent& stage) {
    switch (stage.name) {
        case StageName::Start:
            started_ = started_ || (event.node.empty() && stage.status == StageStatus::Done);
            return false;
        case StageName::Pause:
            paused_.insert(event.node);
            last_sign_us_ = 0;
            return false;
        case StageName::Continue:
            paused_.erase(event.node);
            last_sign_us_ = 0;
            return false;
        case StageName::Restart:
            steps_seen_ = false;
            started_at_ = 0;
            ending_ = false;
            steps_.clear();
            intervals_.clear();
            long_phases_.clear();
            finished_.clear();
            last_sign_us_ = 0;
            return true;
        case StageName::Stop:
            ending_ = true;
            return false;
        case StageName::Data:
        case StageName::Validate:
        case StageName::Checkpoint:
            if (event.rank >= 0) {
                long_phases_.insert(event.rank);
            }
            return true;
        case StageName::Train:
        case StageName::FirstStep:
        case StageName::Rendezvous:
        case StageName::Done:
            long_phases_.erase(event.rank);
            return !event.node.empty();
        default:
            return false;
    }
}

}  // namespace rankscope::inline runs
