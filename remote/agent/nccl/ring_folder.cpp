// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <base/sha256.h>
#include <remote/agent/nccl/ring_folder.h>

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <span>
#include <system_error>
#include <utility>

namespace rankscope::agent {
namespace {

namespace fs = std::filesystem;

constexpr const char* kPrefix = "rankscope-nccl-";
constexpr std::array kParents{"/dev/shm", "/tmp"};
/// A file takes 3 MiB. /dev/shm is the training's own first of all: NCCL and data loaders fail where it is full.
constexpr std::uint64_t kFileBytes = 3U << 20U;
constexpr std::uint64_t kPlenty = 16;  // times what the ranks take

bool has_room(const char* parent, int ranks) {
    struct statvfs room {};
    const std::uint64_t wanted = kFileBytes * static_cast<std::uint64_t>(ranks < 1 ? 1 : ranks) * kPlenty;
    return ::statvfs(parent, &room) == 0 &&
           static_cast<std::uint64_t>(room.f_bavail) * room.f_frsize >= wanted;
}

// The folder, open, where it is one and this user's own; nothing follows a link that others have put there.
UniqueFd open_own(const fs::path& path) {
    UniqueFd folder(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
    struct stat status {};
    if (folder && (::fstat(folder.get(), &status) != 0 || status.st_uid != ::geteuid() ||
                   (status.st_mode & 0077) != 0)) {
        folder.reset();
    }
    return folder;
}

bool is_held(const UniqueFd& folder) {
    return ::flock(folder.get(), LOCK_EX | LOCK_NB) != 0;
}

void remove_if_free(const fs::path& path) {
    if (const UniqueFd folder = open_own(path); folder && !is_held(folder)) {
        std::error_code ignored;
        fs::remove_all(path, ignored);
    }
}

}  // namespace

// From the path of the run's folder: Slurm's nodes, which share a home, have one each.
std::string ring_folder_name(const RunDir& dir) {
    std::error_code ignored;
    const std::string path = fs::weakly_canonical(dir.dir, ignored).string();
    Sha256 hash;
    hash.update(std::as_bytes(std::span(path.data(), path.size())));
    return kPrefix + std::to_string(::geteuid()) + '-' + to_hex(hash.finish()).substr(0, 16);
}

std::unique_ptr<RingFolder> RingFolder::make(const RunDir& dir, int ranks) {
    for (const char* parent : kParents) {
        if (!has_room(parent, ranks)) {
            continue;
        }
        const fs::path path = fs::path(parent) / ring_folder_name(dir);
        remove_if_free(path);
        if (::mkdir(path.c_str(), 0700) != 0) {
            continue;
        }
        UniqueFd lock = open_own(path);
        if (lock && ::flock(lock.get(), LOCK_EX | LOCK_NB) == 0) {
            return std::unique_ptr<RingFolder>(new RingFolder(path, std::move(lock)));
        }
    }
    return nullptr;
}

RingFolder::RingFolder(fs::path path, UniqueFd lock) : path_(std::move(path)), lock_(std::move(lock)) {}

RingFolder::~RingFolder() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
}

bool RingFolder::begin_rank(int rank) const {
    std::error_code error;
    fs::remove_all(of_rank(rank), error);
    return ::mkdir(of_rank(rank).c_str(), 0700) == 0;
}

void remove_ring_folder(const RunDir& dir) {
    for (const char* parent : kParents) {
        remove_if_free(fs::path(parent) / ring_folder_name(dir));
    }
}

std::vector<fs::path> ring_parents() {
    return {kParents.begin(), kParents.end()};
}

std::vector<AbandonedRingFolder> abandoned_ring_folders(const std::vector<fs::path>& parents,
                                                        const std::set<std::string>& live) {
    std::vector<AbandonedRingFolder> found;
    for (const fs::path& parent : parents) {
        std::error_code error;
        for (fs::directory_iterator it(parent, error), end; !error && it != end; it.increment(error)) {
            const std::string name = it->path().filename().string();
            if (!name.starts_with(kPrefix) || live.count(name) > 0) {
                continue;
            }
            const UniqueFd folder = open_own(it->path());
            if (!folder || is_held(folder)) {
                continue;
            }
            AbandonedRingFolder entry{it->path()};
            std::error_code inside;
            for (fs::recursive_directory_iterator file(it->path(), inside), last; !inside && file != last;
                 file.increment(inside)) {
                std::error_code ignored;
                entry.bytes += file->is_regular_file(ignored) ? file->file_size(ignored) : 0;
            }
            found.push_back(std::move(entry));
        }
    }
    return found;
}

}  // namespace rankscope::agent
