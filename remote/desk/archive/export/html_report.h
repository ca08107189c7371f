// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <remote/desk/archive/export/curve_bins.h>
#include <remote/desk/archive/failure_bundle/redactor.h>
#include <remote/desk/runs/run/run_state.h>
#include <remote/desk/runs/store/run_store.h>

#include <string>
#include <vector>

namespace rankscope::inline archive {

/// What a report shows.
struct ReportContent {
    const RunRecord& run;
    const RunState& state;
    const std::vector<BinnedMetric>& metrics;
    std::size_t further_metrics = 0;  ///< that are not in `metrics`
    const KnownFacts& facts;          ///< of the nodes
    std::string job_yaml;
    std::string program;  ///< name and version of the program that writes it
};

/// A run as one HTML page without scripts and without anything from elsewhere: end, verdicts, curves, ranks, nodes,
/// telemetry, start, configuration, versions. Light or dark as the reader's system. Every text of the run passes the
/// redactor.
std::string html_report(const ReportContent& content, Redactor& redactor);

}  // namespace rankscope::inline archive
