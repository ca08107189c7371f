// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <remote/desk/archive/export/csv_export.h>
#include <remote/desk/archive/export/event_files.h>
#include <remote/desk/archive/export/html_report.h>
#include <remote/desk/archive/export/mlflow_folder.h>
#include <remote/desk/archive/export/output_file.h>
#include <remote/desk/archive/export/prometheus_text.h>
#include <remote/desk/archive/export/run_export.h>
#include <remote/desk/archive/failure_bundle/run_redactor.h>
#include <remote/wire/event_json.h>

#include <algorithm>
#include <utility>

namespace rankscope::inline archive {
namespace {

Result<void> write_text(const ExportOptions& options, std::string_view text) {
    auto file = OutputFile::create(options.path, options.replace);
    if (!file) {
        return file.failure();
    }
    file->write(text);
    return file->finish();
}

Result<void> export_events(const ExportOptions& options, EventPasses passes) {
    auto file = OutputFile::create(options.path, options.replace);
    if (!file) {
        return file.failure();
    }
    auto read = passes.each([&](const Event& event) { file->write(to_json_line(event) + '\n'); });
    return read ? file->finish() : read;
}

RunState initial_state(const RunRecord& run) {
    RunState state;
    state.run_id = run.run_id;
    state.name = run.name;
    state.set_plan(run.plan);
    return state;
}

Result<void> export_html(const RunStore& store, const RunRecord& run, const ExportOptions& options,
                         EventPasses passes) {
    RunState state = initial_state(run);
    CurveBins bins(run.started_us, run.world_size);
    auto read = passes.each([&](const Event& event) {
        state.apply(event);
        bins.measure(event);
    });
    if (read) {
        read = passes.each([&](const Event& event) { bins.take(event); });
    }
    if (!read) {
        return read;
    }
    // As they were; runs of earlier versions kept none: as they are.
    auto facts = store.facts_of(run.run_id);
    if (!facts || facts->empty()) {
        facts = store.facts();
    }
    const auto metrics = bins.metrics();
    Redactor redactor = redactor_of(run);
    const auto page = [&] {
        return html_report({.run = run,
                            .state = state,
                            .metrics = metrics,
                            .further_metrics = bins.further(),
                            .facts = facts ? *facts : KnownFacts{},
                            .job_yaml = shown_job(run, redactor, "job"),
                            .program = options.program},
                           redactor);
    };
    std::string html = page();
    if (redactor.known() > 0) {
        html = page();  // what was found last may stand above
    }
    return write_text(options, html);
}

Result<void> export_prometheus(const RunRecord& run, const ExportOptions& options, EventPasses passes) {
    RunState state = initial_state(run);
    auto read = passes.each([&](const Event& event) { state.apply(event); });
    return read ? write_text(options, prometheus_text(state)) : read;
}

Result<void> export_folder(const RunRecord& run, const ExportOptions& options, EventPasses passes) {
    Redactor redactor = redactor_of(run);
    const std::string job = shown_job(run, redactor, "job");
    return options.format == ExportFormat::Mlflow
               ? export_mlflow_folder(run, job, options.path, std::move(passes))
               : export_event_files(run, job, options.path, std::move(passes));
}

const char* suffix_of(ExportFormat format) {
    switch (format) {
        case ExportFormat::Events:
            return ".jsonl";
        case ExportFormat::Csv:
            return ".csv";
        case ExportFormat::Telemetry:
            return "-telemetry.csv";
        case ExportFormat::TensorBoard:
            return "-tensorboard";
        case ExportFormat::Mlflow:
            return "-mlruns";
        case ExportFormat::Html:
            return ".html";
        case ExportFormat::Prometheus:
            break;
    }
    return ".prom";
}

}  // namespace

std::string export_name(const RunRecord& run, ExportFormat format) {
    std::string name = run.name.empty() ? run.run_id : run.name + '-' + run.run_id;
    std::replace_if(
        name.begin(), name.end(), [](char c) { return c == '/' || static_cast<unsigned char>(c) < 0x20; },
        '_');
    return name + suffix_of(format);
}

Result<void> export_run(const RunStore& store, const std::string& run_id, const ExportOptions& options,
                        const ExportProgress& progress, const std::stop_token& stop) {
    const auto run = store.run(run_id);
    if (!run) {
        return run.failure();
    }
    const auto passes = [&](int count) { return EventPasses(store, run_id, count, progress, stop); };
    switch (options.format) {
        case ExportFormat::Events:
            return export_events(options, passes(1));
        case ExportFormat::Csv:
            return export_metrics_csv(*run, options.path, options.replace, passes(2));
        case ExportFormat::Telemetry:
            return export_telemetry_csv(*run, options.path, options.replace, passes(1));
        case ExportFormat::TensorBoard:
        case ExportFormat::Mlflow:
            return export_folder(*run, options, passes(1));
        case ExportFormat::Html:
            return export_html(store, *run, options, passes(2));
        case ExportFormat::Prometheus:
            break;
    }
    return export_prometheus(*run, options, passes(1));
}

}  // namespace rankscope::inline archive
