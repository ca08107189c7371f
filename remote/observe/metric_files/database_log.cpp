// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <base/fd.h>
#include <base/json_text.h>
#include <base/text.h>
#include <remote/observe/metric_files/database_log.h>

#include <fcntl.h>
#include <nlohmann/json.hpp>
#include <sqlite3.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cmath>
#include <ctime>
#include <limits>
#include <memory>

namespace rankscope::metric_files {
namespace {

constexpr std::string_view kMagic{"SQLite format 3\0", 16};
constexpr int kTries = 3;
constexpr int kMostRows = 20'000;       // of one look
constexpr int kMostSteps = 20'000'000;  // of SQLite's machine: about a second
constexpr int kStepsAtOnce = 10'000;
constexpr std::size_t kMostNumbers = 1000;           // of one row
constexpr double kLargest = 1.7976931348623157e308;  // MLflow's infinity
constexpr JsonLimits kRowLimits{.bytes = 1 << 20, .depth = 16, .values = 20'000};

using Handle = std::unique_ptr<sqlite3, decltype(&sqlite3_close_v2)>;
using Query = std::unique_ptr<sqlite3_stmt, decltype(&sqlite3_finalize)>;

std::int64_t nanoseconds(const timespec& time) {
    return static_cast<std::int64_t>(time.tv_sec) * 1'000'000'000 + time.tv_nsec;
}

// A path in a URI of SQLite's.
std::string uri_of(const std::string& path, bool immutable) {
    constexpr const char* kDigits = "0123456789ABCDEF";
    std::string uri = "file:";
    for (const char c : path) {
        if (is_letter(c) || is_digit(c) || c == '/' || c == '.' || c == '-' || c == '_') {
            uri += c;
        } else {
            const auto byte = static_cast<unsigned char>(c);
            uri += {'%', kDigits[byte >> 4], kDigits[byte & 15]};
        }
    }
    return uri + (immutable ? "?mode=ro&immutable=1" : "?mode=ro");
}

int stop_after(void* left) {
    auto& steps = *static_cast<int*>(left);
    steps -= kStepsAtOnce;
    return steps <= 0 ? 1 : 0;
}

Query query(sqlite3* database, const char* sql) {
    sqlite3_stmt* statement = nullptr;
    sqlite3_prepare_v2(database, sql, -1, &statement, nullptr);
    return {statement, &sqlite3_finalize};
}

std::string text_of(sqlite3_stmt* statement, int column) {
    const auto* bytes = static_cast<const char*>(sqlite3_column_blob(statement, column));
    const int size = sqlite3_column_bytes(statement, column);
    return bytes == nullptr ? std::string() : std::string(bytes, static_cast<std::size_t>(size));
}

// As Trackio writes times: in UTC, so that the order of texts is that of times.
std::string utc_text(double seconds) {
    const auto whole = static_cast<std::time_t>(seconds);
    std::tm parts{};
    std::array<char, 32> text{};
    return ::gmtime_r(&whole, &parts) != nullptr &&
                   std::strftime(text.data(), text.size(), "%Y-%m-%dT%H:%M:%S", &parts) > 0
               ? text.data()
               : "";
}

void add_numbers(const nlohmann::json& object, const std::string& group, int depth, Scalars& scalars) {
    constexpr int kDeepest = 4;
    constexpr double kInfinity = std::numeric_limits<double>::infinity();
    for (const auto& [key, value] : object.items()) {
        const std::string name = group.empty() ? key : group + '/' + key;
        if (scalars.values.size() >= kMostNumbers) {
            return;
        }
        if (value.is_number()) {
            scalars.values.emplace_back(name, value.get<double>());
        } else if (value == "NaN") {
            scalars.values.emplace_back(name, std::numeric_limits<double>::quiet_NaN());
        } else if (value == "Infinity" || value == "-Infinity") {
            scalars.values.emplace_back(name, value == "Infinity" ? kInfinity : -kInfinity);
        } else if (value.is_object() && !value.contains("_type") && depth < kDeepest) {
            add_numbers(value, name, depth + 1, scalars);
        }
    }
}

bool has_columns(sqlite3* database, const char* sql) {
    return query(database, sql) != nullptr;
}

constexpr const char* kMlflowRows =
    "SELECT rowid, run_uuid, step, timestamp, \"key\", value, is_nan FROM metrics WHERE rowid > ?1 ORDER BY "
    "rowid LIMIT ?2";
constexpr const char* kTrackioRows =
    "SELECT rowid, run_id, step, timestamp, metrics FROM metrics WHERE rowid > ?1 ORDER BY rowid LIMIT ?2";
// Rows lie in the order they were logged.
constexpr const char* kMlflowBefore =
    "SELECT rowid FROM metrics WHERE timestamp < ?1 ORDER BY rowid DESC LIMIT 1";
constexpr const char* kTrackioBefore =
    "SELECT rowid FROM metrics WHERE timestamp < ?1 ORDER BY rowid DESC LIMIT 1";

}  // namespace

bool DatabaseLog::take_stamp(const std::string& path, Stamp& stamp) {
    constexpr std::size_t kVersion = 18;
    constexpr std::size_t kChanges = 24;
    stamp = {};
    const UniqueFd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW));
    std::array<char, 100> head{};
    struct stat info {};
    if (!fd || ::fstat(fd.get(), &info) != 0 || !S_ISREG(info.st_mode) ||
        ::pread(fd.get(), head.data(), head.size(), 0) != static_cast<ssize_t>(head.size()) ||
        std::string_view(head.data(), kMagic.size()) != kMagic) {
        return false;
    }
    stamp.size = info.st_size;
    stamp.time_ns = nanoseconds(info.st_mtim);
    stamp.ahead = head[kVersion] == 2;
    for (std::size_t i = 0; i < 4; ++i) {
        stamp.changes = stamp.changes << 8 | static_cast<unsigned char>(head[kChanges + i]);
    }
    struct stat log {};
    if (::stat((path + "-wal").c_str(), &log) == 0) {
        stamp.log_size = log.st_size;
        stamp.log_time_ns = nanoseconds(log.st_mtim);
    }
    struct stat journal {};
    stamp.in_writing =
        !stamp.ahead && ::stat((path + "-journal").c_str(), &journal) == 0 && journal.st_size > 0;
    return true;
}

ReadState DatabaseLog::read(const std::string& path, double since, std::vector<Scalars>& out) {
    more_ = false;
    Stamp stamp;
    for (int i = 0; i < kTries; ++i) {
        if (!take_stamp(path, stamp)) {
            return ReadState::Foreign;
        }
        if (stamp == read_) {
            return ReadState::Good;
        }
        if (stamp.in_writing) {
            continue;
        }
        DatabaseLog before = *this;
        std::vector<Scalars> scalars;
        const Result result = try_read(path, stamp, since, scalars);
        Stamp after;
        // With locks, what was read is one state of the database, whatever follows.
        const bool whole =
            (stamp.ahead && stamp.log_size >= 0) || (take_stamp(path, after) && after == stamp);
        if (whole && result != Result::Busy) {
            out.insert(out.end(), std::make_move_iterator(scalars.begin()),
                       std::make_move_iterator(scalars.end()));
            read_ = more_ ? Stamp() : stamp;
            return result == Result::Good ? ReadState::Good : ReadState::Foreign;
        }
        *this = std::move(before);
    }
    return ReadState::Good;
}

bool DatabaseLog::takes_run(const std::string& run) {
    if (run != run_) {
        if (!run_.empty()) {
            former_runs_.insert(run_);
        }
        run_ = run;
    }
    return !former_runs_.contains(run);
}

DatabaseLog::Result DatabaseLog::try_read(const std::string& path, const Stamp& stamp, double since,
                                          std::vector<Scalars>& out) {
    const bool locked = stamp.ahead && stamp.log_size >= 0;
    if (locked && ::access((path + "-shm").c_str(), F_OK) != 0) {
        return Result::Busy;  // its writer has gone without an end: SQLite would make files
    }
    sqlite3* opened = nullptr;
    const int code = sqlite3_open_v2(
        uri_of(path, !locked).c_str(), &opened,
        SQLITE_OPEN_READONLY | SQLITE_OPEN_URI | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_PRIVATECACHE, nullptr);
    const Handle database(opened, &sqlite3_close_v2);
    if (code != SQLITE_OK) {
        return Result::Busy;
    }
    // A foreign file is data: it runs no functions, and its queries have a limit of steps.
    int steps = kMostSteps;
    sqlite3_db_config(opened, SQLITE_DBCONFIG_DEFENSIVE, 1, nullptr);
    sqlite3_db_config(opened, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, nullptr);
    sqlite3_limit(opened, SQLITE_LIMIT_LENGTH, 1 << 24);
    sqlite3_progress_handler(opened, kStepsAtOnce, stop_after, &steps);
    if (program_ == Program::Unknown) {
        program_ =
            has_columns(opened, kMlflowRows) && has_columns(opened, "SELECT run_uuid, start_time FROM runs")
                ? Program::Mlflow
            : has_columns(opened, kTrackioRows) ? Program::Trackio
                                                : Program::Unknown;
        const int answer = sqlite3_errcode(opened);
        if (program_ == Program::Unknown) {
            // Tables are made one by one when the program starts.
            return answer == SQLITE_BUSY || has_columns(opened, "SELECT 1 FROM alembic_version") ||
                           query(opened, "SELECT 1 FROM sqlite_master") == nullptr || stamp.size <= 8192
                       ? Result::Busy
                       : Result::Foreign;
        }
    }
    const bool mlflow = program_ == Program::Mlflow;
    if (!begun_) {
        const auto before = query(opened, mlflow ? kMlflowBefore : kTrackioBefore);
        const std::string when = utc_text(since);
        if (mlflow) {
            sqlite3_bind_int64(before.get(), 1, static_cast<std::int64_t>(since * 1000));
        } else {
            sqlite3_bind_text(before.get(), 1, when.c_str(), -1, SQLITE_STATIC);
        }
        const int answer = sqlite3_step(before.get());
        if (answer != SQLITE_ROW && answer != SQLITE_DONE) {
            return answer == SQLITE_CORRUPT || answer == SQLITE_NOTADB ? Result::Foreign : Result::Busy;
        }
        row_ = answer == SQLITE_ROW ? sqlite3_column_int64(before.get(), 0) : 0;
        begun_ = true;
    }
    const auto rows = query(opened, mlflow ? kMlflowRows : kTrackioRows);
    sqlite3_bind_int64(rows.get(), 1, row_);
    sqlite3_bind_int(rows.get(), 2, kMostRows);
    int count = 0;
    int answer = SQLITE_ERROR;
    while (rows && (answer = sqlite3_step(rows.get())) == SQLITE_ROW) {
        ++count;
        row_ = sqlite3_column_int64(rows.get(), 0);
        if (!takes_run(text_of(rows.get(), 1))) {
            return Result::Foreign;
        }
        Scalars scalars;
        scalars.step = sqlite3_column_int64(rows.get(), 2);
        if (mlflow) {
            scalars.wall_time = static_cast<double>(sqlite3_column_int64(rows.get(), 3)) / 1000;
            const double value = sqlite3_column_double(rows.get(), 5);
            scalars.values.emplace_back(text_of(rows.get(), 4),
                                        sqlite3_column_int(rows.get(), 6) != 0 ? std::nan("")
                                        : std::abs(value) >= kLargest
                                            ? std::copysign(std::numeric_limits<double>::infinity(), value)
                                            : value);
        } else if (const auto object = read_json(text_of(rows.get(), 4), kRowLimits); object.is_object()) {
            add_numbers(object, {}, 0, scalars);
        }
        if (scalars.step >= 0 && !scalars.values.empty() && !scalars.values.front().first.empty()) {
            out.push_back(std::move(scalars));
        }
    }
    more_ = count == kMostRows;
    return answer == SQLITE_DONE                                 ? Result::Good
           : answer == SQLITE_CORRUPT || answer == SQLITE_NOTADB ? Result::Foreign
                                                                 : Result::Busy;
}

}  // namespace rankscope::metric_files
