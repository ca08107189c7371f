// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <remote/observe/metric_files/file_readers.h>

#include <cstdint>
#include <set>
#include <string>
#include <vector>

namespace rankscope::metric_files {

/// A database of SQLite that programs log to: MLflow's mlflow.db, Trackio's <project>.db. It is looked at again whenever it has
/// changed, and only read: nothing is written, created or locked that its writer would wait for.
///
/// A database with a rollback journal is read without locks; what was read counts if nothing was written meanwhile. One with a
/// write-ahead log is read in a short transaction, which SQLite's writers do not wait for.
class DatabaseLog {
public:
    /// Rows logged since the last call, the first time: at `since` (s since 1970) or later. Nothing is lost where the
    /// database is busy: it comes with the next call. Foreign: of no known program, or several runs log to it at once, so that
    /// it is not certain whose the values are.
    ReadState read(const std::string& path, double since, std::vector<Scalars>& out);
    /// Bytes that are appended say nothing of a database.
    static ReadState feed(std::string_view /*bytes*/, std::vector<Scalars>& /*out*/) {
        return ReadState::Foreign;
    }
    static std::uint64_t offset() { return 0; }
    /// The last call has left some for the next.
    bool has_more() const { return more_; }

private:
    enum class Program { Unknown, Mlflow, Trackio };
    enum class Result { Good, Busy, Foreign };
    struct Stamp {
        std::int64_t size = -1;
        std::int64_t time_ns = 0;
        std::int64_t log_size = -1;  ///< of the write-ahead log; -1: there is none
        std::int64_t log_time_ns = 0;
        std::uint32_t changes = 0;  ///< as the file counts them
        bool ahead = false;         ///< it has a write-ahead log when it is written
        bool in_writing = false;
        bool operator==(const Stamp&) const = default;
    };
    static bool take_stamp(const std::string& path, Stamp& stamp);
    Result try_read(const std::string& path, const Stamp& stamp, double since, std::vector<Scalars>& out);
    /// False: a run that had ended for another logs again.
    bool takes_run(const std::string& run);

    Program program_ = Program::Unknown;
    Stamp read_;
    std::int64_t row_ = -1;  ///< the last that was read
    bool begun_ = false;
    bool more_ = false;
    std::string run_;
    std::set<std::string> former_runs_;
};

}  // namespace rankscope::metric_files
