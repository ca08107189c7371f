// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <remote/desk/runs/store/run_store.h>
#include <remote/desk/runs/store/set_aside.h>
#include <remote/desk/runs/store/sqlite.h>
#include <remote/desk/runs/store/store_failure.h>
#include <remote/desk/shared/text.h>

#include <sys/stat.h>

#include <array>
#include <ctime>
#include <fstream>
#include <string>
#include <system_error>
#include <vector>

namespace rankscope::inline runs {
namespace {

constexpr const char* kContext = "RunStore";
// The main file last: without its companions it would look complete.
constexpr std::array kSuffixes{"-wal", "-shm", ""};

std::filesystem::path with_suffix(const std::filesystem::path& path, const std::string& suffix) {
    return path.string() + suffix;
}

bool is_there(const std::filesystem::path& path) {
    std::error_code error;
    return std::filesystem::symlink_status(path, error).type() != std::filesystem::file_type::not_found;
}

std::filesystem::path free_name(const std::filesystem::path& path, std::int64_t now_us) {
    const std::time_t seconds = now_us / 1'000'000;
    std::tm local{};
    ::localtime_r(&seconds, &local);
    std::array<char, 32> date{};
    std::strftime(date.data(), date.size(), "-%Y-%m-%d-%H%M%S", &local);
    const std::string stem = path.stem().string() + date.data();
    const std::string extension = path.extension().string();
    std::filesystem::path name = path.parent_path() / (stem + extension);
    for (int i = 2; is_there(name); ++i) {
        name = path.parent_path() / (stem + "-" + std::to_string(i) + extension);
    }
    return name;
}

/// "rankscope (process 1234)": who has the file open, of the processes that this user may look at.
std::string user_of(const std::filesystem::path& path) {
    struct stat wanted {};
    if (::stat(path.c_str(), &wanted) != 0) {
        return {};
    }
    std::error_code error;
    for (std::filesystem::directory_iterator process("/proc", error), end; !error && process != end;
         process.increment(error)) {
        const std::string pid = process->path().filename().string();
        if (pid.find_first_not_of("0123456789") != std::string::npos) {
            continue;
        }
        std::error_code denied;
        for (std::filesystem::directory_iterator file(process->path() / "fd", denied); !denied && file != end;
             file.increment(denied)) {
            struct stat found {};
            if (::stat(file->path().c_str(), &found) == 0 && found.st_ino == wanted.st_ino &&
                found.st_dev == wanted.st_dev) {
                std::string name;
                std::getline(std::ifstream(process->path() / "comm"), name);
                return text(kContext, "%1 (process %2)", {name, pid});
            }
        }
    }
    return {};
}

}  // namespace

std::optional<Failure> store_problem(const std::filesystem::path& path) {
    if (!is_there(path)) {
        return std::nullopt;
    }
    const auto store = RunStore::open(path);
    if (!store) {
        return store.failure();
    }
    if (const auto runs = (*store)->runs(); !runs) {
        return runs.failure();
    }
    Database database;
    const std::string damaged = text(kContext, "The run store is damaged.");
    if (!database.open(path.string())) {
        return store_failure(path.string(), damaged, database);
    }
    Statement check(database, "PRAGMA quick_check(1)");
    if (check.step() != Statement::Step::Row) {
        return store_failure(path.string(), damaged, database);
    }
    if (const std::string found = check.text(0); found != "ok") {
        Failure failure = store_failure(path.string(), damaged, database);
        failure.code = "store-damaged";
        failure.detail = found;
        return failure;
    }
    return std::nullopt;
}

bool can_set_aside(const Failure& failure) {
    return failure.code == FailureId("store-damaged") || failure.code == FailureId("store-newer");
}

Result<std::filesystem::path> set_aside_store(const std::filesystem::path& path, std::int64_t now_us) {
    if (const std::string user = user_of(path); !user.empty()) {
        return Failure{"store-busy", path.string(), text(kContext, "%1 has the run store open.", {user}),
                       text(kContext, "Close that program or window, then try again."), ""};
    }
    const std::filesystem::path to = free_name(path, now_us);
    std::vector<std::string> done;
    for (const std::string suffix : kSuffixes) {
        if (!is_there(with_suffix(path, suffix))) {
            continue;
        }
        std::error_code error;
        std::filesystem::rename(with_suffix(path, suffix), with_suffix(to, suffix), error);
        if (error) {
            std::error_code ignored;
            for (const std::string& back : done) {
                std::filesystem::rename(with_suffix(to, back), with_suffix(path, back), ignored);
            }
            return Failure{
                "store", path.string(), text(kContext, "The run store cannot be renamed."),
                text(kContext, "Check owner and permissions of its folder, or rename the file yourself."),
                error.message()};
        }
        done.push_back(suffix);
    }
    return to;
}

}  // namespace rankscope::inline runs
