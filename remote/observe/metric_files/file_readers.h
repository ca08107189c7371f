// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <remote/observe/metric_files/record_place.h>
#include <remote/observe/tensorboard/record_stream.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace rankscope::metric_files {

enum class ReadState {
    Good,
    Foreign,  ///< no such file: it is passed over
    Damaged   ///< it was one
};

/// Readers of files that training programs write numbers to: bytes in, in any pieces, as they are appended; values at steps
/// out. Each holds at most one record.

/// TensorBoard's events.out.tfevents.*
class EventRecords {
public:
    ReadState feed(std::string_view bytes, std::vector<Scalars>& out);
    std::uint64_t offset() const { return records_.offset(); }

private:
    tensorboard::RecordStream records_;
};

/// Lines of a text file, whole ones only.
class TextLines {
public:
    static constexpr std::size_t kLongest = 1 << 18;
    /// True: `line` is the next one, without its end. Takes what it needs of `bytes`.
    bool next(std::string_view& bytes, std::string& line);
    std::uint64_t offset() const { return offset_; }

private:
    std::string pending_;
    bool too_long_ = false;
    std::uint64_t offset_ = 0;  ///< behind the last whole line
};

/// A table with a heading: a name for each column, one of which counts. Written by the CSV loggers of Lightning, Keras, timm,
/// Ultralytics, fastai, Stable-Baselines3. Lightning writes the whole file again when a column is added.
class CsvTable {
public:
    ReadState feed(std::string_view bytes, std::vector<Scalars>& out);
    /// The file is read from its beginning once more: rows that were read are passed over.
    void begin_again();
    std::uint64_t offset() const { return lines_.offset(); }

private:
    bool read_heading(std::string_view line);
    TextLines lines_;
    std::vector<std::string> names_;
    char separator_ = ',';
    std::int64_t rows_ = 0;
    std::int64_t taken_ = 0;  ///< rows, before the file was written again
};

/// One JSON object a line, with a counter and numbers; objects within it are groups.
class JsonLines {
public:
    ReadState feed(std::string_view bytes, std::vector<Scalars>& out);
    std::uint64_t offset() const { return lines_.offset(); }

private:
    TextLines lines_;
    std::int64_t objects_ = 0;
    bool any_ = false;  ///< a line was an object
};

/// mlruns/<experiment>/<run>/metrics/<name>: "timestamp value step" a line.
class MlflowValues {
public:
    explicit MlflowValues(std::string name) : name_(std::move(name)) {}
    ReadState feed(std::string_view bytes, std::vector<Scalars>& out);
    std::uint64_t offset() const { return lines_.offset(); }

private:
    std::string name_;
    TextLines lines_;
};

/// wandb's run-*.wandb: a log in blocks, as LevelDB has them, of protobuf records.
class WandbLog {
public:
    ReadState feed(std::string_view bytes, std::vector<Scalars>& out);
    std::uint64_t offset() const { return offset_; }

private:
    ReadState take(std::vector<Scalars>& out);
    void read_record(std::string_view record, std::vector<Scalars>& out);
    std::string pending_;
    std::string record_;  ///< its pieces that have come
    bool passing_over_ = false;
    bool begun_ = false;
    std::uint64_t offset_ = 0;
    std::int64_t records_ = 0;
    bool program_counts_ = false;  ///< it logs a count of steps of its own
    std::int64_t last_step_ = 0;
};

}  // namespace rankscope::metric_files
