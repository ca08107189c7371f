// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <gui/data/sample_history.h>
#include <remote/wire/sample_keys.h>

#include <algorithm>

namespace rankscope::gui {

namespace {

constexpr std::int64_t kLongestUs = 5'000'000;  ///< a sample stands for so long at most, unless they are rare

}  // namespace

void SampleHistory::add(const SampleEvent& sample, std::int64_t t_us) {
    if (last_us_ > 0 && t_us > last_us_) {
        interval_us_ = interval_us_ == 0 ? t_us - last_us_ : (3 * interval_us_ + (t_us - last_us_)) / 4;
    }
    const std::int64_t longest = std::max(kLongestUs, 2 * interval_us_);
    whole_run_.begin(last_us_ > 0 && last_us_ < t_us ? std::max(last_us_, t_us - longest) : t_us, t_us);
    last_us_ = t_us;
    double sum = 0;
    int gpus = 0;
    for (const auto& [key, value] : sample.values) {
        whole_run_.put(key, value);
        if (key == sample_key::kCpu) {
            push(key, value);
        } else if (key.starts_with("gpu.") && key.ends_with(".util")) {
            push(key, value);
            sum += value;
            ++gpus;
        }
    }
    if (gpus > 0) {
        push("gpu", sum / gpus);
        whole_run_.put("gpu", sum / gpus);
    }
}

const std::vector<float>& SampleHistory::of(const std::string& key) const {
    static const std::vector<float> none;
    const auto it = values_.find(key);
    return it == values_.end() ? none : it->second;
}

void SampleHistory::push(const std::string& key, double value) {
    auto& values = values_[key];
    if (values.size() == kKept) {
        values.erase(values.begin());
    }
    values.push_back(float(value));
}

}  // namespace rankscope::gui
