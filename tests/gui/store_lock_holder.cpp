// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

// Another program in the middle of a write to a run store, for test_locked_store.cpp: takes the write lock of
// the SQLite file argv[1], prints "locked", and releases it when its standard input ends.

#include <sqlite3.h>

#include <cstdio>

int main(int argc, char** argv) {
    if (argc != 2) {
        std::fprintf(stderr, "usage: store_lock_holder FILE\n");
        return 2;
    }
    constexpr int kPatienceMs = 30000;
    sqlite3* database = nullptr;
    const bool locked = sqlite3_open_v2(argv[1], &database, SQLITE_OPEN_READWRITE, nullptr) == SQLITE_OK &&
                        sqlite3_busy_timeout(database, kPatienceMs) == SQLITE_OK &&
                        sqlite3_exec(database, "BEGIN EXCLUSIVE", nullptr, nullptr, nullptr) == SQLITE_OK;
    if (locked) {
        std::puts("locked");
        std::fflush(stdout);
        while (std::getchar() != EOF) {
        }
        sqlite3_exec(database, "ROLLBACK", nullptr, nullptr, nullptr);
    } else {
        std::fprintf(stderr, "%s\n", sqlite3_errmsg(database));
    }
    sqlite3_close(database);
    return locked ? 0 : 1;
}
