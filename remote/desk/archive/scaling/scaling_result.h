// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <remote/desk/archive/scaling/scaling_jobs.h>
#include <remote/desk/archive/scaling/scaling_point.h>
#include <remote/desk/runs/store/run_labels.h>
#include <remote/desk/runs/store/run_store.h>

#include <nlohmann/json_fwd.hpp>

#include <limits>
#include <map>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

namespace rankscope::inline archive {

struct ScalingResult {
    std::string tag;
    ScalingMode mode = ScalingMode::Weak;
    std::string unit;  ///< metric of the throughput: "images_per_s"; "steps_per_s" where no rate is reported
    std::vector<ScalingPoint> points;  ///< by ranks
};

/// "scaling-weak-20261123-071500": on the runs of one result.
std::string scaling_tag(ScalingMode mode, std::int64_t started_us);
std::optional<ScalingMode> scaling_mode_of(const std::string& tag);
/// Nothing where a run belongs to none.
std::optional<std::string> scaling_tag_of(const RunLabels& labels);

/// Throughput of one stored run; the first part of its steps is warm-up and left out.
ScalingPoint measure_run(const RunStore& store, const RunRecord& record, ScalingMode mode, std::string& unit,
                         const std::stop_token& stop = {});
/// Fills in speed-up and efficiency.
void rate_points(ScalingResult& result);

/// A stored result again, from the runs with its tag. Failures: no run has it; the store cannot be read.
Result<ScalingResult> read_scaling(const RunStore& store, const std::map<std::string, RunLabels>& labels,
                                   const std::string& tag, const std::stop_token& stop = {});

nlohmann::ordered_json to_json(const ScalingResult& result);

}  // namespace rankscope::inline archive
