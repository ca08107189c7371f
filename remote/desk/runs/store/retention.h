// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <remote/desk/runs/store/run_labels.h>
#include <remote/desk/runs/store/run_store.h>

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <vector>

namespace rankscope::inline runs {

/// How long and how much the run store keeps. Starred runs and runs in progress are never removed.
struct RetentionRule {
    int days = 0;            ///< runs that ended before that are removed; 0: no limit
    std::int64_t bytes = 0;  ///< the oldest runs are removed until the rest fits; 0: no limit

    bool limited() const { return days > 0 || bytes > 0; }
    bool operator==(const RetentionRule&) const = default;
};

/// What the run store takes on the disk.
struct StoreUse {
    std::int64_t bytes = 0;       ///< of its files
    std::int64_t disk_free = -1;  ///< of the file system; -1: not known
    /// By run, about: the share of its events. Runs without events have none.
    std::map<std::string, std::int64_t> run_bytes;
};
Result<StoreUse> measure_store(const std::filesystem::path& path);

struct PlannedRemoval {
    enum class Reason { Age, Size };
    std::string run_id;
    std::string name;
    std::int64_t started_us = 0;
    std::int64_t bytes = 0;  ///< about
    Reason reason = Reason::Age;

    bool operator==(const PlannedRemoval&) const = default;
};

/// What a rule would remove now. Nothing is removed by making it.
struct RetentionPlan {
    std::vector<PlannedRemoval> remove;  ///< oldest first
    std::int64_t bytes = 0;              ///< of those, about
    int starred_kept = 0;                ///< that the rule would remove if they had no star
    int running_kept = 0;
};
RetentionPlan plan_retention(const std::vector<RunRecord>& runs,
                             const std::map<std::string, RunLabels>& labels, const StoreUse& use,
                             const RetentionRule& rule, std::int64_t now_us);
/// Reads the store, and plans. Blocks on the disk.
Result<RetentionPlan> plan_retention(const RunStore& store, const std::filesystem::path& path,
                                     const RetentionRule& rule, std::int64_t now_us);

/// Makes the file smaller after runs were removed from it. Where another program reads it, later runs use the room
/// instead. Blocks on the disk.
void compact_store(const std::filesystem::path& path);

/// Removes the runs of a plan, except those that have got a star or continue by now, and returns how many it removed.
/// `progress` gets how many of them are settled; false ends it. Then the file is made smaller.
Result<int> remove_planned(RunStore& store, const std::filesystem::path& path, const RetentionPlan& plan,
                           const std::function<bool(std::size_t)>& progress);

}  // namespace rankscope::inline runs
