// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <remote/desk/export/csv_cell.h>
#include <remote/desk/export/csv_export.h>
#include <remote/desk/export/number_text.h>
#include <remote/desk/export/output_file.h>
#include <remote/desk/run/metric_names.h>

#include <optional>
#include <vector>

namespace rankscope {
namespace {

// The first columns of every table.
std::string time_columns(const Event& event, const RunRecord& run) {
    constexpr double kMicroseconds = 1e6;
    return std::to_string(event.t_us) + ',' +
           number_text(static_cast<double>(event.t_us - run.started_us) / kMicroseconds) + ',' +
           csv_cell(event.node);
}

std::string metric_row(const Event& event, const MetricEvent& metric, const MetricNames& names,
                       const RunRecord& run) {
    std::vector<std::string> fields(names.size());
    bool any = false;
    for (const auto& [name, value] : metric.values) {
        if (const auto id = names.find(name)) {
            fields[id->value()] = number_text(value);
            any = true;
        }
    }
    if (!any) {
        return {};
    }
    std::string row = time_columns(event, run) + ',' + std::to_string(event.rank) + ',' +
                      (metric.step >= 0 ? std::to_string(metric.step) : "") + ',' +
                      (metric.epoch >= 0 ? number_text(metric.epoch) : "");
    for (const auto& field : fields) {
        row += ',' + field;
    }
    return row + "\r\n";
}

}  // namespace

Result<void> export_metrics_csv(const RunRecord& run, const std::filesystem::path& path, bool replace,
                                EventPasses passes) {
    auto file = OutputFile::create(path, replace);
    if (!file) {
        return file.failure();
    }
    MetricNames names;
    auto read = passes.each([&](const Event& event) {
        if (const auto* metric = event.as<MetricEvent>()) {
            for (const auto& [name, value] : metric->values) {
                names.intern(name);
            }
        }
    });
    if (!read) {
        return read;
    }
    file->write("t_us,seconds,node,rank,step,epoch");
    for (const auto& name : names.all()) {
        file->write(',' + csv_cell(name));
    }
    file->write("\r\n");
    read = passes.each([&](const Event& event) {
        if (const auto* metric = event.as<MetricEvent>()) {
            file->write(metric_row(event, *metric, names, run));
        }
    });
    return read ? file->finish() : read;
}

Result<void> export_telemetry_csv(const RunRecord& run, const std::filesystem::path& path, bool replace,
                                  EventPasses passes) {
    auto file = OutputFile::create(path, replace);
    if (!file) {
        return file.failure();
    }
    file->write("t_us,seconds,node,key,value\r\n");
    auto read = passes.each([&](const Event& event) {
        if (const auto* sample = event.as<SampleEvent>()) {
            for (const auto& [key, value] : sample->values) {
                file->write(time_columns(event, run) + ',' + csv_cell(key) + ',' + number_text(value) +
                            "\r\n");
            }
        }
    });
    return read ? file->finish() : read;
}

}  // namespace rankscope
