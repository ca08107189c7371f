// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <remote/desk/runs/store/store_failure.h>
#include <remote/desk/shared/text.h>

#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <utility>

namespace rankscope::inline runs {
namespace {

constexpr const char* kContext = "RunStore";

enum class Cause { Full, ReadOnly, Busy, Damaged, Other };

// SQLite cannot create its -wal and -shm files there.
bool cannot_be_written(const std::string& path) {
    const std::string folder = std::filesystem::path(path).parent_path().string();
    return ::access(folder.empty() ? "." : folder.c_str(), W_OK) != 0 &&
           (errno == EACCES || errno == EROFS || errno == EPERM);
}

Cause cause_of(const std::string& path, const Database& database) {
    switch (database.code() & 0xff) {
        case SQLITE_FULL:
            return Cause::Full;
        case SQLITE_READONLY:
        case SQLITE_PERM:
            return Cause::ReadOnly;
        case SQLITE_BUSY:
        case SQLITE_LOCKED:
            return Cause::Busy;
        case SQLITE_CORRUPT:
        case SQLITE_NOTADB:
            return Cause::Damaged;
        case SQLITE_ERROR:  // the header is readable, but a table is not there
            return database.message().rfind("no such ", 0) == 0 ? Cause::Damaged : Cause::Other;
        case SQLITE_IOERR:
        case SQLITE_CANTOPEN:
            switch (database.system_error()) {
                case ENOSPC:
                case EDQUOT:
                    return Cause::Full;
                case EACCES:
                case EPERM:
                case EROFS:
                    return Cause::ReadOnly;
                default:
                    return cannot_be_written(path) ? Cause::ReadOnly : Cause::Other;
            }
        default:
            return Cause::Other;
    }
}

}  // namespace

Failure store_failure(const std::string& path, std::string what, const Database& database) {
    Failure failure{"store", path, std::move(what), {}, database.message()};
    const std::string folder = std::filesystem::path(path).parent_path().string();
    switch (cause_of(path, database)) {
        case Cause::Full:
            failure.code = "store-full";
            failure.remedy =
                text(kContext, "The disk, or your quota, is full: free space for %1 (`df -h`).", {folder});
            break;
        case Cause::ReadOnly:
            failure.code = "store-read-only";
            failure.remedy = text(
                kContext,
                "Check owner and permissions of %1, and whether its disk is mounted read-only. Or choose "
                "another folder with --data-dir.",
                {folder});
            break;
        case Cause::Busy:
            failure.code = "store-busy";
            failure.remedy = text(
                kContext, "Another program writes to it: `fuser %1` shows which. Close it, then try again.",
                {path});
            break;
        case Cause::Damaged:
            failure.code = "store-damaged";
            failure.remedy = text(kContext,
                                  "The file is damaged, or no run store. `rankscopectl runs repair` keeps it "
                                  "under another name and begins a new one.");
            break;
        case Cause::Other:
            failure.remedy = text(kContext, "Check free space and permissions of the folder.");
            break;
    }
    return failure;
}

}  // namespace rankscope::inline runs
