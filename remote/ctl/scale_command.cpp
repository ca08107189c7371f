// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <base/number_text.h>
#include <base/text.h>
#include <remote/ctl/commands.h>
#include <remote/ctl/output.h>
#include <remote/ctl/runs_labels.h>
#include <remote/ctl/stop_on_interrupt.h>
#include <remote/ctl/table.h>
#include <remote/ctl/terminal_text.h>
#include <remote/desk/archive/scaling/scaling_run.h>

#include <nlohmann/json.hpp>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <memory>

namespace rankscope::ctl {
namespace {

struct ScaleOptions {
    std::string job;
    std::string show;
    std::vector<int> ranks;
    double seconds = 60;
    bool strong = false;
};

std::string cell(double value, int digits = 4) {
    return std::isfinite(value) ? short_number_text(value, digits) : "-";
}

std::string percent(double share) {
    return std::isfinite(share) ? fixed_text(share * 100, 1) + " %" : "-";
}

void print(const ScalingResult& result) {
    std::printf("%s: %s scaling, %s\n", result.tag.c_str(), to_string(result.mode),
                safe_text(result.unit).c_str());
    std::vector<std::vector<std::string>> rows{{"RANKS", "THROUGHPUT", "25-75 %", "STEPS", "SPEED-UP",
                                                "EFFICIENCY", "COMPUTE", "DATA", "COMMUNICATION", "OTHER",
                                                "RUN"}};
    bool reported = true;
    for (const ScalingPoint& point : result.points) {
        std::vector<std::string> row{
            std::to_string(point.ranks), cell(point.throughput), cell(point.low) + " to " + cell(point.high),
            std::to_string(point.steps), cell(point.speedup, 3), percent(point.efficiency)};
        const StepShares shares = point.shares.value_or(StepShares());
        for (const double part : {shares.compute_ms, shares.data_ms, shares.comm_ms, shares.other_ms}) {
            row.push_back(point.shares && shares.step_ms > 0 ? percent(part / shares.step_ms) : "-");
        }
        row.push_back(point.run_id);
        rows.push_back(std::move(row));
        reported = reported && (point.shares || !point.failure.empty());
    }
    std::fputs(format_table(rows).c_str(), stdout);
    for (const ScalingPoint& point : result.points) {
        if (!point.failure.empty()) {
            std::printf("%d ranks: %s\n", point.ranks, safe_text(point.failure).c_str());
        }
    }
    if (!reported) {
        std::puts("Where the time goes is not reported by these ranks.");
    }
}

int show(const GlobalOptions& options, const Result<ScalingResult>& result) {
    if (!result) {
        report(result.failure(), options.json);
        return kUsage;
    }
    if (options.json) {
        print_json(to_json(*result));
    } else {
        print(*result);
    }
    const bool any_failed = std::any_of(result->points.begin(), result->points.end(),
                                        [](const ScalingPoint& point) { return !point.failure.empty(); });
    return any_failed ? kTrainingFailed : kDone;
}

int scale(const GlobalOptions& options, const ScaleOptions& how) {
    auto store = open_store(options);
    if (!store) {
        return kUsage;
    }
    if (!how.show.empty()) {
        return show(options, read_scaling(*store, labels_of_runs(options), how.show));
    }
    auto inventory = load_inventory(options);
    JobRead job = read_job(how.job);
    if (!job.problems.empty() || !inventory) {
        report(job.problems, options.json);
        return kUsage;
    }
    ScalingRequest request;
    request.inventory = std::move(*inventory);
    request.job = std::move(job.job);
    request.ranks = how.ranks;
    request.seconds = how.seconds;
    request.mode = how.strong ? ScalingMode::Strong : ScalingMode::Weak;
    const StopOnInterrupt interrupt;
    const bool terminal = !options.json && ::isatty(STDERR_FILENO) != 0;
    std::string before;
    const auto result = run_scaling(
        request, store, options.store_path(), terminal_prompter(options),
        [&](const ScalingProgress& progress) {
            const std::string line =
                std::to_string(progress.ranks) + " ranks (" + std::to_string(progress.size + 1) + " of " +
                std::to_string(progress.sizes) + "): " +
                (progress.measured_s < 0
                     ? "starting"
                     : cell(std::floor(progress.measured_s)) + " s of " + cell(request.seconds) + " s");
            if (terminal && line != before) {
                std::fprintf(stderr, "\r\033[K%s", line.c_str());
            }
            before = line;
        },
        interrupt.token());
    if (terminal) {
        std::fputs("\r\033[K", stderr);
    }
    const int code = show(options, result);
    return interrupt.token().stop_requested() ? kStopped : code;
}

}  // namespace

void add_scale_command(CLI::App& app, GlobalOptions& options, int& code) {
    auto how = std::make_shared<ScaleOptions>();
    auto* command = app.add_subcommand("scale",
                                       "Run a job on 1, 2, 4 … ranks for a minute each: throughput, "
                                       "speed-up, efficiency, where the time goes");
    auto* job = command->add_option("job", how->job, "Job file");
    command->add_option("--ranks", how->ranks, "Numbers of ranks, with commas; without it 1, 2, 4 … all")
        ->delimiter(',')
        ->check(CLI::Range(1, 1'000'000))
        ->allow_extra_args(false);
    command->add_option("--seconds", how->seconds, "For each, from its first step")
        ->check(CLI::Range(1.0, 86400.0));
    command->add_flag("--strong", how->strong,
                      "All ranks together keep one batch; without it each rank keeps its batch");
    command->add_option("--show", how->show, "A stored result again, by its tag")->excludes(job);
    command->callback([&options, &code, how] {
        if (how->job.empty() && how->show.empty()) {
            throw CLI::RequiredError("job, or --show TAG");
        }
        code = scale(options, *how);
    });
}

}  // namespace rankscope::ctl
