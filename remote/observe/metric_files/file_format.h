// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <remote/observe/metric_files/database_log.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace rankscope::metric_files {

/// A file that may hold what a program logs, followed while it grows. What it is, is guessed by its name and decided by what
/// it holds.
class MetricFile {
public:
    /// By the whole path; nothing: no file of numbers has such a name.
    static std::optional<MetricFile> of(const std::string& path);
    /// The name is one that only loggers give: it may be said aloud when its content is not.
    bool is_certain() const { return certain_; }
    /// A program may write it again from its beginning.
    bool may_be_rewritten() const { return std::holds_alternative<CsvTable>(reader_); }
    /// It can be read from any line on, without its beginning.
    bool has_no_beginning() const {
        return std::holds_alternative<JsonLines>(reader_) || std::holds_alternative<MlflowValues>(reader_);
    }
    /// It is read as a whole, by its path, and not as bytes; null: it is not.
    DatabaseLog* database() { return std::get_if<DatabaseLog>(&reader_); }
    bool is_event_file() const { return std::holds_alternative<EventRecords>(reader_); }
    /// The folder of a run of MLflow, where its files have one each for a name: all are one log.
    const std::string& log_folder() const { return log_folder_; }

    ReadState feed(std::string_view bytes, std::vector<Scalars>& out);
    void begin_again();
    std::uint64_t offset() const;

private:
    using Reader = std::variant<EventRecords, CsvTable, JsonLines, MlflowValues, WandbLog, DatabaseLog>;
    MetricFile(Reader reader, bool certain, std::string log_folder = {})
        : reader_(std::move(reader)), certain_(certain), log_folder_(std::move(log_folder)) {}
    Reader reader_;
    bool certain_;
    std::string log_folder_;
};

}  // namespace rankscope::metric_files
