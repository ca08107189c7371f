// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <base/text.h>
#include <remote/observe/metric_files/file_format.h>

#include <array>

namespace rankscope::metric_files {
namespace {

constexpr std::string_view kMetrics = "/metrics/";

bool is_run_id(std::string_view name) {
    constexpr std::size_t kDigits = 32;
    return name.size() == kDigits && name.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

}  // namespace

std::optional<MetricFile> MetricFile::of(const std::string& path) {
    const std::string name = base_name(path);
    if (name.starts_with("events.out.tfevents.")) {
        return MetricFile(EventRecords(), true);
    }
    if (name.starts_with("run-") && name.ends_with(".wandb")) {
        return MetricFile(WandbLog(), true);
    }
    // mlruns/<experiment>/<32 hexadecimal digits>/metrics/<name, with '/' in it>
    for (auto at = path.find(kMetrics); at != std::string::npos; at = path.find(kMetrics, at + 1)) {
        const auto run = std::string_view(path).substr(0, at);
        if (is_run_id(run.substr(run.rfind('/') + 1))) {
            return MetricFile(MlflowValues(path.substr(at + kMetrics.size())), true, path.substr(0, at));
        }
    }
    const std::string lower = lower_case(name);
    const auto dot = lower.rfind('.');
    const auto ending = dot == std::string::npos ? std::string_view() : std::string_view(lower).substr(dot);
    if (ending == ".csv" || ending == ".tsv") {
        return MetricFile(CsvTable(), false);
    }
    if (ending == ".jsonl" || ending == ".json" || ending == ".ndjson") {
        return MetricFile(JsonLines(), false);
    }
    if (ending == ".db" || ending == ".sqlite" || ending == ".sqlite3") {
        return MetricFile(DatabaseLog(), false);
    }
    return std::nullopt;
}

ReadState EventRecords::feed(std::string_view bytes, std::vector<Scalars>& out) {
    for (const auto& record : records_.feed(bytes)) {
        auto read = tensorboard::read_scalars(record);
        if (!read) {
            return ReadState::Damaged;
        }
        out.push_back(std::move(*read));
    }
    return records_.damaged() ? ReadState::Damaged : ReadState::Good;
}

ReadState MetricFile::feed(std::string_view bytes, std::vector<Scalars>& out) {
    return std::visit([&](auto& reader) { return reader.feed(bytes, out); }, reader_);
}

void MetricFile::begin_again() {
    if (auto* table = std::get_if<CsvTable>(&reader_)) {
        table->begin_again();
    }
}

std::uint64_t MetricFile::offset() const {
    return std::visit([](const auto& reader) { return reader.offset(); }, reader_);
}

}  // namespace rankscope::metric_files
