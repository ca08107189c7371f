// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <sqlite3.h>

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

namespace rankscope::inline runs {

/// The little of SQLite's C interface that the run store needs, with owners. Errors: the functions return
/// false (or step() Error) and message() says why.
class Database {
public:
    bool open(const std::string& path);
    bool run(const char* sql);
    std::string message() const { return handle_ ? sqlite3_errmsg(handle_.get()) : "not open"; }
    /// The extended result code of the last call.
    int code() const { return handle_ ? sqlite3_extended_errcode(handle_.get()) : SQLITE_CANTOPEN; }
    /// errno of the last file operation that failed.
    int system_error() const { return handle_ ? sqlite3_system_errno(handle_.get()) : 0; }
    sqlite3* get() const { return handle_.get(); }
    /// How long a call waits for a lock of another program. Any thread, also while a call waits.
    void set_patience(int milliseconds) { patience_ms_ = milliseconds; }

private:
    static int wait_for_lock(void* self, int calls);

    struct Close {
        void operator()(sqlite3* handle) const { sqlite3_close_v2(handle); }
    };
    std::atomic<int> patience_ms_{10000};  // window and rankscopectl write to the same file
    std::unique_ptr<sqlite3, Close> handle_;
};

class Statement {
public:
    enum class Step { Row, Done, Error };

    Statement(const Database& database, std::string_view sql);

    Statement& bind(int index, std::int64_t value);
    Statement& bind(int index, double value);
    Statement& bind(int index, const std::string& value);
    Statement& bind_null(int index);
    Step step();
    /// Ready for the next set of values.
    void reset();

    std::int64_t whole(int column) const { return sqlite3_column_int64(statement_.get(), column); }
    double number(int column) const { return sqlite3_column_double(statement_.get(), column); }
    bool is_null(int column) const { return sqlite3_column_type(statement_.get(), column) == SQLITE_NULL; }
    std::string text(int column) const;

private:
    struct Finalize {
        void operator()(sqlite3_stmt* statement) const { sqlite3_finalize(statement); }
    };
    std::unique_ptr<sqlite3_stmt, Finalize> statement_;
};

}  // namespace rankscope::inline runs
