// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <remote/diagnosis/verdict.h>

#include <cstdint>
#include <vector>

namespace rankscope::gui {

/// The verdicts of a run in progress: those that hold, and those that held last.
class LiveVerdicts {
public:
    struct Entry {
        Verdict verdict;
        std::int64_t over_us = 0;  ///< since when it holds no more; 0: it holds
    };

    /// Takes Live and Over; the same id, node and rank is the same verdict. Whether it begins or ceases to hold with
    /// it: the same verdict may come again in other words.
    bool apply(const Verdict& verdict, std::int64_t t_us);
    /// None holds any more: the run is over.
    void end(std::int64_t t_us);
    /// The one to show: what holds the run, then the surest; else the last that held until at most some seconds before `now_us`.
    const Entry* shown(std::int64_t now_us) const;
    /// Those that hold, in the order in which they came.
    std::vector<const Verdict*> holding() const;
    /// With those that no longer hold.
    const std::vector<Entry>& all() const { return entries_; }

private:
    std::vector<Entry> entries_;
};

}  // namespace rankscope::gui
