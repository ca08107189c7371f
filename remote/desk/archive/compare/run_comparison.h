// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <remote/desk/archive/compare/curve_axis.h>
#include <remote/desk/archive/compare/run_columns.h>
#include <remote/desk/archive/compare/run_summary.h>
#include <remote/desk/runs/store/run_labels.h>

#include <functional>
#include <map>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

namespace rankscope::inline archive {

/// One run of a comparison.
struct ComparedRun {
    RunRecord record;
    RunLabels labels;
    RunSummary summary;
    std::map<std::string, std::vector<CurvePoint>> curves;  ///< by metric
    std::map<std::string, std::string> environment;         ///< of all its ranks alike: variable → value
    std::map<std::string, std::string> versions;            ///< of its nodes: "node1 kernel" → value

    /// The runs of one group are taken together: the label, else the name.
    const std::string& group() const { return labels.group.empty() ? record.name : labels.group; }
};

/// A value that the runs have, or one that they do not share.
struct ComparedValue {
    enum class Section { Run, Job, Environment, Versions };
    Section section = Section::Run;
    std::string key;
    std::vector<std::string> values;  ///< by run; empty: it has none
    bool differs = false;
};
const char* to_string(ComparedValue::Section section);

/// One metric over all runs; vectors by run.
struct ComparedMetric {
    std::string name;
    std::vector<MetricStats> stats;
    /// Seconds from the start of the run until the target was reached; NaN: never. Empty: no target.
    std::vector<double> time_to_target;
    /// Over the runs of each group with two or more of them.
    struct Group {
        std::string name;
        Spread last;
        Spread best;
    };
    std::vector<Group> groups;
};

/// The value that a metric should reach.
struct MetricTarget {
    std::string metric;
    double value = 0;
};
/// "acc1=0.95".
std::optional<MetricTarget> metric_target(const std::string& word);
/// When a curve first was at least as good; NaN: never.
double time_to(const std::vector<CurvePoint>& points, const MetricTarget& target);

struct RunComparison {
    std::vector<ComparedRun> runs;        ///< those that could be read, in the order asked for
    std::vector<Failure> problems;        ///< runs that could not be, and runs without metrics
    std::vector<ComparedMetric> metrics;  ///< first those that all runs report
    std::vector<ComparedValue> values;    ///< of job, environment, versions
    std::optional<MetricTarget> target;
};

/// Reads the runs and compares them. `progress`: runs read so far, on the caller's thread. Failures: fewer than two
/// could be read (the first one's), "cancelled".
Result<RunComparison> compare_runs(const RunStore& store, const std::map<std::string, RunLabels>& labels,
                                   const std::vector<std::string>& run_ids,
                                   const std::optional<MetricTarget>& target,
                                   const std::function<void(std::size_t)>& progress = {},
                                   const std::stop_token& stop = {});

/// Mean and spread of several curves at places that their range shares, for a band. Values between two points of
/// a curve are interpolated.
struct BandPoint {
    double x = 0;
    Spread values;
};
std::vector<BandPoint> band_of(const std::vector<const std::vector<CurvePoint>*>& curves, CurveAxis axis,
                               std::size_t places = 300);

}  // namespace rankscope::inline archive
