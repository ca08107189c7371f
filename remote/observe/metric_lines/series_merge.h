// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <base/metrics_line.h>

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace rankscope::metric_lines {

/// One rank's series that come from its lines and from its files. A file is exact, but may come minutes late; a line is
/// rounded, and there at once. So the lines are given on, and where a file has a series of theirs, it counts as far as it
/// reaches: what lines say there is left out, and what they have said is declared void.
class SeriesMerge {
public:
    /// A line of a file, with what it makes void.
    struct FromFile {
        MetricsLine line;
        std::optional<std::int64_t> voids_after{};
    };
    enum class Relation {
        None,      ///< lines have given no such name
        Unknown,   ///< there is nothing to compare
        Same,      ///< the values coincide
        Different  ///< at the same steps they have other values
    };

    /// Takes out what files have had already.
    void take_lines(MetricsLine& line);
    std::vector<FromFile> take_file(const MetricsLine& line);
    /// Of what a file has at these steps to what lines have given under the name.
    Relation relation(const std::string& name,
                      const std::vector<std::pair<std::int64_t, double>>& points) const;
    /// How many values lines have given under the name.
    std::size_t count_of_lines(const std::string& name) const;
    /// The last step that lines have given anything at; negative: none.
    std::int64_t last_step_of_lines() const { return last_line_step_; }
    /// The same of an epoch, which counts from 1.
    std::optional<std::int64_t> end_of_epoch(double epoch) const;

private:
    struct Series {
        std::deque<std::pair<std::int64_t, double>> lines;  ///< the last ones
        std::int64_t last_line = -1;
        std::size_t count = 0;  ///< of the lines' values
        std::int64_t last_file = -1;
        double last_value = 0;  ///< of the file
        bool in_file = false;
    };
    std::map<std::string, Series, std::less<>> series_;
    std::map<std::int64_t, std::int64_t> epochs_;  ///< → the last step
    std::int64_t last_line_step_ = -1;
};

}  // namespace rankscope::metric_lines
