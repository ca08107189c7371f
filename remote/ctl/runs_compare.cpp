// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <base/number_text.h>
#include <remote/ctl/output.h>
#include <remote/ctl/runs_compare.h>
#include <remote/ctl/runs_labels.h>
#include <remote/ctl/table.h>
#include <remote/ctl/terminal_text.h>
#include <remote/desk/archive/compare/comparison_text.h>
#include <remote/desk/archive/compare/run_groups.h>

#include <nlohmann/json.hpp>

#include <cmath>
#include <cstdio>
#include <memory>

namespace rankscope::ctl {
namespace {

struct CompareOptions {
    std::vector<std::string> runs;
    std::string target;
    bool csv = false;
    bool all = false;
};

std::string cell(double value) {
    return std::isfinite(value) ? short_number_text(value, 5) : "-";
}

void print_values(const RunComparison& comparison, bool all) {
    std::vector<std::vector<std::string>> rows{{"", ""}};
    for (const auto& run : comparison.runs) {
        rows.front().push_back(run.record.run_id);
    }
    for (const auto& row : comparison.values) {
        if (all || row.differs) {
            rows.push_back({to_string(row.section), safe_text(row.key)});
            for (const auto& value : row.values) {
                rows.back().push_back(value.empty() ? "-" : safe_text(value));
            }
        }
    }
    std::fputs(format_table(rows).c_str(), stdout);
    if (rows.size() == 1) {
        std::puts("Configuration, environment and versions are the same.");
    }
}

void print_metrics(const RunComparison& comparison) {
    std::vector<std::vector<std::string>> rows{{"METRIC", ""}};
    for (const auto& run : comparison.runs) {
        rows.front().push_back(run.record.run_id);
    }
    for (const auto& row : stat_rows(comparison)) {
        rows.push_back({safe_text(row.metric), row.stat});
        for (const double value : row.values) {
            rows.back().push_back(cell(value));
        }
    }
    if (rows.size() > 1) {
        std::printf("\n%s", format_table(rows).c_str());
    }
    rows = {{"GROUP", "METRIC", "RUNS", "LAST", "BEST"}};
    for (const auto& metric : comparison.metrics) {
        for (const auto& group : metric.groups) {
            if (group.last.count > 0) {
                rows.push_back({safe_text(group.name), safe_text(metric.name),
                                std::to_string(group.last.count), to_text(group.last), to_text(group.best)});
            }
        }
    }
    if (rows.size() > 1) {
        std::printf("\nMean ± standard deviation of the runs of a group:\n%s", format_table(rows).c_str());
    }
}

int compare(const GlobalOptions& options, const CompareOptions& how) {
    const auto target = metric_target(how.target);
    if (!how.target.empty() && !target) {
        report(
            Failure{"bad-command-line", "--target", "\"" + how.target + "\" is not a metric and its value.",
                    "Write for example --target acc1=0.95.", ""},
            options.json);
        return kUsage;
    }
    const auto store = open_store(options);
    if (!store) {
        return kUsage;
    }
    const auto comparison = compare_runs(*store, labels_of_runs(options), how.runs, target);
    if (!comparison) {
        report(comparison.failure(), options.json);
        return kUsage;
    }
    if (options.json) {
        print_json(comparison_json(*comparison, how.all));
        return kDone;
    }
    for (const auto& problem : comparison->problems) {
        std::fprintf(stderr, "%s\n", to_line(problem).c_str());
    }
    if (how.csv) {
        std::fputs(comparison_csv(*comparison, how.all).c_str(), stdout);
        return kDone;
    }
    print_values(*comparison, how.all);
    print_metrics(*comparison);
    return kDone;
}

}  // namespace

void add_compare_command(CLI::App& runs, GlobalOptions& options, int& code) {
    auto how = std::make_shared<CompareOptions>();
    auto* command = runs.add_subcommand(
        "compare",
        "Compare runs: what differs in job, environment and versions, and what their metrics come to");
    command->add_option("runs", how->runs, "Two ids or more, as `runs list` shows them")
        ->required()
        ->expected(2, 1000);
    command->add_option("--target", how->target, "METRIC=VALUE: when each run reached it");
    command->add_flag("--all", how->all, "Also what is the same in all of them");
    command->add_flag("--csv", how->csv, "As comma-separated values");
    command->callback([&options, &code, how] { code = compare(options, *how); });
}

}  // namespace rankscope::ctl
