// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <remote/observe/metric_lines/metric_names.h>

#include <set>
#include <string>

namespace rankscope::metric_lines {

/// Accuracies as shares of 1, where a program does not say how it writes them: one above 1 is a percentage, and
/// so is every later one of its name. All other series stay as they are.
class AccuracyShare {
public:
    double of(const std::string& key, double value) {
        if (!is_accuracy(key)) {
            return value;
        }
        if (value > 1) {
            percent_.insert(key);
        }
        return percent_.contains(key) ? value / 100 : value;
    }

private:
    std::set<std::string, std::less<>> percent_;
};

}  // namespace rankscope::metric_lines
