// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <gui/launch/draft_file.h>
#include <gui/strings.h>

#include <QLockFile>
#include <string>
#include <utility>

namespace rankscope::gui {

namespace {

constexpr int kMostWindows = 100;

}  // namespace

DraftFile::DraftFile(std::filesystem::path folder) : folder_(std::move(folder)) {}

DraftFile::~DraftFile() = default;

const std::filesystem::path& DraftFile::path() {
    const std::lock_guard lock(mutex_);
    if (path_.empty()) {
        path_ = choose();
    }
    return path_;
}

// Where nothing can be locked, writing reports why.
std::filesystem::path DraftFile::choose() {
    std::error_code error;
    std::filesystem::create_directories(folder_, error);
    for (int number = 1; number <= kMostWindows; ++number) {
        const std::string suffix = number == 1 ? std::string() : "-" + std::to_string(number);
        const std::filesystem::path file = folder_ / ("launch-draft" + suffix + ".json");
        auto lock = std::make_unique<QLockFile>(qs(file.string() + ".lock"));
        lock->setStaleLockTime(0);  // a window may be open for weeks
        if (lock->tryLock(0)) {
            lock_ = std::move(lock);
            return file;
        }
        if (lock->error() != QLockFile::LockFailedError) {
            return file;
        }
    }
    return folder_ / "launch-draft.json";
}

}  // namespace rankscope::gui
