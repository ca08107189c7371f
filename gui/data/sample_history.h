// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <gui/data/sample_timeline.h>
#include <remote/wire/event.h>

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace rankscope::gui {

/// The last shares of a node's samples, for a small curve beside the figure: of "cpu", of every GPU's "util",
/// and of "gpu", the mean of those. And all of its figures over the whole run, coarser.
class SampleHistory {
public:
    static constexpr std::size_t kKept = 60;  ///< a minute, unless the job says otherwise

    void add(const SampleEvent& sample, std::int64_t t_us);
    /// Usual time between two samples, µs; 0: not known yet.
    std::int64_t interval_us() const { return interval_us_; }
    /// Oldest first, 0…1; empty for what the node has not.
    const std::vector<float>& of(const std::string& key) const;
    const SampleTimeline& whole_run() const { return whole_run_; }

private:
    void push(const std::string& key, double value);

    std::map<std::string, std::vector<float>> values_;
    SampleTimeline whole_run_;
    std::int64_t last_us_ = 0;
    std::int64_t interval_us_ = 0;
};

}  // namespace rankscope::gui
