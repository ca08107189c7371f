// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <base/number_text.h>
#include <remote/desk/archive/export/csv_cell.h>
#include <remote/desk/archive/export/csv_export.h>
#include <remote/desk/archive/export/output_file.h>

#include <string>
#include <unordered_map>
#include <vector>

namespace rankscope::inline archive {
namespace {

constexpr std::size_t kMostColumns = 2000;  // spreadsheets take 16,384, but not well

// The first columns of every table.
std::string time_columns(const Event& event, const RunRecord& run) {
    constexpr double kMicroseconds = 1e6;
    return std::to_string(event.t_us) + ',' +
           number_text(static_cast<double>(event.t_us - run.started_us) / kMicroseconds) + ',' +
           csv_cell(event.node);
}

std::string place_columns(const Event& event, const MetricEvent& metric, const RunRecord& run) {
    return time_columns(event, run) + ',' + std::to_string(event.rank) + ',' +
           (metric.step >= 0 ? std::to_string(metric.step) : "") + ',' +
           (metric.epoch >= 0 ? number_text(metric.epoch) : "");
}

// The columns of a table, in the order of first report; many more names than that have a row each.
class Columns {
public:
    void add(const std::string& name) {
        if (names_.size() <= kMostColumns && places_.emplace(name, names_.size()).second) {
            names_.push_back(name);
        }
    }
    bool too_many() const { return names_.size() > kMostColumns; }
    const std::vector<std::string>& names() const { return names_; }

    std::string row(const Event& event, const MetricEvent& metric, const RunRecord& run) const {
        if (metric.values.empty()) {
            return {};
        }
        std::vector<std::string> fields(names_.size());
        for (const auto& [name, value] : metric.values) {
            fields[places_.at(name)] = number_text(value);
        }
        std::string row = place_columns(event, metric, run);
        for (const auto& field : fields) {
            row += ',' + field;
        }
        return row + "\r\n";
    }

private:
    std::vector<std::string> names_;
    std::unordered_map<std::string, std::size_t> places_;
};

std::string value_rows(const Event& event, const MetricEvent& metric, const RunRecord& run) {
    const std::string place = place_columns(event, metric, run);
    std::string rows;
    for (const auto& [name, value] : metric.values) {
        rows += place + ',' + csv_cell(name) + ',' + number_text(value) + "\r\n";
    }
    return rows;
}

}  // namespace

Result<void> export_metrics_csv(const RunRecord& run, const std::filesystem::path& path, bool replace,
                                EventPasses passes) {
    auto file = OutputFile::create(path, replace);
    if (!file) {
        return file.failure();
    }
    Columns columns;
    auto read = passes.each([&](const Event& event) {
        if (const auto* metric = event.as<MetricEvent>()) {
            for (const auto& [name, value] : metric->values) {
                columns.add(name);
            }
        }
    });
    if (!read) {
        return read;
    }
    file->write("t_us,seconds,node,rank,step,epoch");
    if (columns.too_many()) {
        file->write(",metric,value");
    } else {
        for (const auto& name : columns.names()) {
            file->write(',' + csv_cell(name));
        }
    }
    file->write("\r\n");
    read = passes.each([&](const Event& event) {
        if (const auto* metric = event.as<MetricEvent>()) {
            file->write(columns.too_many() ? value_rows(event, *metric, run)
                                           : columns.row(event, *metric, run));
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

}  // namespace rankscope::inline archive
