// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <remote/observe/metric_lines/reading.h>

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace rankscope::metric_lines {

/// The values next to a progress bar. A bar is drawn again for each new count and for each new value, and keeps what it last
/// had: a value that has not changed when the count moves on may be the one before. It waits for the next drawing; one of
/// another count shows that it was right. Two ways of programs differ: those that write the values behind the count of the
/// same step, and those in whose loop the count follows later (a new value at count 0), also by several steps: tqdm counts
/// in a `for` only when it draws by itself.
class BarValues {
public:
    /// Whether the line is such a bar: "Epoch 1: 50%|#### | 16/32 [00:05<00:05, 85.2it/s, loss=0.3]", "… 120it [00:01, …]",
    /// "Epoch [1/3]: [16/32] 50%|#### , loss=0.3 [00:05<00:05]".
    static bool has(std::string_view line);

    /// What the drawing says for certain, in the order of steps. `bar` has values and a count.
    std::vector<Reading> draw(std::string_view line, Reading bar);
    /// What still waits: another line follows, or the rank has ended.
    std::vector<Reading> rest();

private:
    struct Bar {
        double count = -1;
        double epoch = -1;
        bool late = false;  ///< its count is that of the step before
        double drawn = 0;   ///< with values since the count moved, but for the drawing that shows the move
        bool each_step = true;  ///< late: these drawings were as many as the count moved on
        bool leaps = true;      ///< late: the count moves on by several steps
        std::map<std::string, double, std::less<>> last;
        std::set<std::string, std::less<>> carried;  ///< values that have not changed since the count fell
        Reading waiting;                             ///< has the values that have not changed
    };
    static void settle(Bar& bar, bool falls, std::vector<Reading>& out);

    std::vector<std::pair<double, Bar>> bars_;  ///< by the length of an epoch: bars may be drawn in turns
};

}  // namespace rankscope::metric_lines
