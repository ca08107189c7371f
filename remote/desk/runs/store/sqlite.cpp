// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <remote/desk/runs/store/sqlite.h>

#include <chrono>
#include <thread>

namespace rankscope::inline runs {

bool Database::open(const std::string& path) {
    sqlite3* handle = nullptr;
    const int code = sqlite3_open_v2(
        path.c_str(), &handle, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_FULLMUTEX, nullptr);
    handle_.reset(handle);
    if (code == SQLITE_OK) {
        sqlite3_busy_handler(handle, wait_for_lock, this);
    }
    return code == SQLITE_OK;
}

// SQLite's own time-out cannot be changed while a call waits.
int Database::wait_for_lock(void* self, int calls) {
    constexpr int kPauseMs = 10;
    if (calls * kPauseMs >= static_cast<Database*>(self)->patience_ms_) {
        return 0;
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(kPauseMs));
    return 1;
}

bool Database::run(const char* sql) {
    return sqlite3_exec(handle_.get(), sql, nullptr, nullptr, nullptr) == SQLITE_OK;
}

Statement::Statement(const Database& database, std::string_view sql) {
    sqlite3_stmt* statement = nullptr;
    sqlite3_prepare_v2(database.get(), sql.data(), static_cast<int>(sql.size()), &statement, nullptr);
    statement_.reset(statement);
}

Statement& Statement::bind(int index, std::int64_t value) {
    sqlite3_bind_int64(statement_.get(), index, value);
    return *this;
}

Statement& Statement::bind(int index, double value) {
    sqlite3_bind_double(statement_.get(), index, value);
    return *this;
}

Statement& Statement::bind(int index, const std::string& value) {
    sqlite3_bind_text(statement_.get(), index, value.data(), static_cast<int>(value.size()),
                      SQLITE_TRANSIENT);
    return *this;
}

Statement& Statement::bind_null(int index) {
    sqlite3_bind_null(statement_.get(), index);
    return *this;
}

Statement::Step Statement::step() {
    switch (sqlite3_step(statement_.get())) {
        case SQLITE_ROW:
            return Step::Row;
        case SQLITE_DONE:
            return Step::Done;
        default:
            return Step::Error;
    }
}

void Statement::reset() {
    if (statement_) {  // sqlite3_clear_bindings, unlike the others, does not take a null pointer
        sqlite3_reset(statement_.get());
        sqlite3_clear_bindings(statement_.get());
    }
}

std::string Statement::text(int column) const {
    const auto* bytes = sqlite3_column_text(statement_.get(), column);
    const auto size = static_cast<std::size_t>(sqlite3_column_bytes(statement_.get(), column));
    return bytes != nullptr ? std::string(reinterpret_cast<const char*>(bytes), size) : std::string();
}

}  // namespace rankscope::inline runs
