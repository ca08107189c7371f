// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <base/text.h>
#include <remote/agent/inner/stream_pool.h>

#include <fcntl.h>
#include <sys/inotify.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <system_error>

namespace rankscope::agent {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kReady = 4;
constexpr int kMost = 4096;  // processes that come and go

// Open for both: it never ends, and a process that opens it does not wait for us.
UniqueFd make_fifo(const fs::path& path) {
    if (::mkfifo(path.c_str(), 0600) != 0) {
        return {};
    }
    return UniqueFd(::open(path.c_str(), O_RDWR | O_NONBLOCK | O_CLOEXEC));
}

}  // namespace

bool StreamPool::open(const fs::path& folder) {
    folder_ = folder;
    ready_.clear();
    std::error_code error;
    for (const char* part : {"ready", "taken", "made"}) {
        fs::remove_all(folder_ / part, error);  // an earlier attempt's
        fs::create_directories(folder_ / part, error);
        if (error) {
            return false;
        }
    }
    changes_.reset(::inotify_init1(IN_NONBLOCK | IN_CLOEXEC));
    if (!changes_ || ::inotify_add_watch(changes_.get(), (folder_ / "taken").c_str(), IN_MOVED_TO) < 0) {
        return false;
    }
    fill();
    return !ready_.empty();
}

void StreamPool::add_to(std::vector<pollfd>& fds) const {
    if (changes_) {
        fds.push_back({changes_.get(), POLLIN, 0});
    }
}

bool StreamPool::add_slot() {
    Slot slot;
    slot.name = std::to_string(made_++);
    const fs::path made = folder_ / "made" / slot.name;
    std::error_code error;
    fs::create_directory(made, error);
    slot.streams.out = make_fifo(made / "out");
    slot.streams.err = make_fifo(made / "err");
    slot.streams.metrics = make_fifo(made / "metrics");
    struct stat state {};
    if (!slot.streams.out || !slot.streams.err || !slot.streams.metrics ||
        ::stat(made.c_str(), &state) != 0) {
        return false;
    }
    slot.device = state.st_dev;
    slot.number = state.st_ino;
    fs::rename(made, folder_ / "ready" / slot.name, error);  // whole
    if (error) {
        return false;
    }
    ready_.push_back(std::move(slot));
    return true;
}

void StreamPool::fill() {
    while (ready_.size() < kReady && made_ < kMost && add_slot()) {
    }
}

std::vector<StreamPool::Streams> StreamPool::take() {
    std::vector<Streams> taken;
    if (!changes_) {
        return taken;
    }
    bool changed = false;
    alignas(inotify_event) std::array<char, 8192> bytes;
    for (;;) {
        const auto got = ::read(changes_.get(), bytes.data(), bytes.size());
        if (got <= 0) {
            break;
        }
        changed = true;
    }
    if (!changed) {
        return taken;
    }
    std::error_code error;
    for (fs::directory_iterator entry(folder_ / "taken", error), end; !error && entry != end;
         entry.increment(error)) {
        struct stat state {};
        const auto pid = parse_number<pid_t>(entry->path().filename().string());
        if (!pid || ::stat(entry->path().c_str(), &state) != 0) {
            continue;
        }
        const auto slot = std::find_if(ready_.begin(), ready_.end(), [&](const Slot& one) {
            return one.device == state.st_dev && one.number == state.st_ino;
        });
        if (slot != ready_.end()) {
            slot->streams.pid = *pid;
            taken.push_back(std::move(slot->streams));
            ready_.erase(slot);
        }
    }
    fill();
    return taken;
}

}  // namespace rankscope::agent
