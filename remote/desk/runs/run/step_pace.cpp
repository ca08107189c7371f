// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <remote/desk/runs/run/step_pace.h>

#include <algorithm>
#include <vector>

namespace rankscope::inline runs {
namespace {

constexpr double kShortest = 1;  // seconds: within it, a program's buffer and our polling would show
constexpr std::size_t kFewest = 3;
constexpr std::size_t kMost = 64;
constexpr double kLong = 3;  // times the usual: a checkpoint, a validation that says nothing

}  // namespace

void StepPace::add(double count, std::int64_t t_us) {
    if (known_ && count < last_ && 2 * count >= last_) {
        return;  // another source is behind: a log below a bar
    }
    if (!known_ || count < last_) {
        known_ = true;
        interrupted_ = false;
        last_ = count;
        last_us_ = t_us;
        return;
    }
    const double seconds = static_cast<double>(t_us - last_us_) / 1e6;
    if (count == last_ || seconds < kShortest) {
        return;
    }
    if (interrupted_) {
        ++interruptions_;
    } else {
        interruptions_ = 0;
        spans_.push_back({count - last_, seconds});
        if (spans_.size() > kMost) {
            spans_.pop_front();
            ++dropped_;
        }
    }
    interrupted_ = false;
    last_ = count;
    last_us_ = t_us;
}

std::optional<StepPace::Span> StepPace::usual() const {
    // The first steps are slower: kernels are chosen, graphs compiled, caches filled.
    const std::size_t first = dropped_ == 0 && spans_.size() > kFewest ? 1 : 0;
    if (spans_.size() < kFewest + 1 && dropped_ == 0) {
        return std::nullopt;
    }
    std::vector<double> each;
    for (std::size_t i = first; i < spans_.size(); ++i) {
        each.push_back(spans_[i].seconds / spans_[i].count);
    }
    std::sort(each.begin(), each.end());
    const double limit = kLong * each[each.size() / 2];
    Span all{0, 0};
    for (std::size_t i = first; i < spans_.size(); ++i) {
        if (spans_[i].seconds / spans_[i].count <= limit) {
            all.count += spans_[i].count;
            all.seconds += spans_[i].seconds;
        }
    }
    return all.count > 0 && all.seconds > 0 ? std::optional(all) : std::nullopt;
}

std::optional<double> StepPace::per_s() const {
    const auto all = usual();
    return all ? std::optional(all->count / all->seconds) : std::nullopt;
}

double StepPace::span_s() const {
    const auto all = usual();
    return all ? all->seconds : 0;
}

}  // namespace rankscope::inline runs
