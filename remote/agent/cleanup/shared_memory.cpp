// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <base/files.h>
#include <base/utf8.h>
#include <remote/agent/cleanup/shared_memory.h>
#include <remote/agent/nccl/ring_folder.h>
#include <remote/agent/node/process_tree.h>

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <set>
#include <sstream>
#include <utility>

namespace rankscope::agent {
namespace fs = std::filesystem;
namespace {

constexpr const char* kSharedMemory = "/dev/shm";
constexpr int kLooks = 2;  // one that a process hands to another may be missed by one look at both
constexpr std::int64_t kClockJitter = 2;

struct Candidate {
    fs::path path;
    struct stat info {};
};

bool is_a_trainers(const std::string& name) {
    for (const char* prefix : {"nccl-", "torch_", "rankscope-", "psm_", "sem.mp-", "gloo-", "mpich_",
                               "Intel_MPI_", "vader_segment.", "sm_segment."}) {  // the last two: Open MPI
        if (name.starts_with(prefix)) {
            return true;
        }
    }
    return false;
}

std::vector<Candidate> own_segments(const fs::path& folder) {
    std::vector<Candidate> found;
    std::error_code error;
    for (fs::directory_iterator it(folder, error), end; !error && it != end; it.increment(error)) {
        Candidate candidate{it->path()};
        if (::lstat(candidate.path.c_str(), &candidate.info) == 0 && S_ISREG(candidate.info.st_mode) &&
            candidate.info.st_uid == ::getuid()) {
            found.push_back(std::move(candidate));
        }
    }
    return found;
}

// By inode where the kernel shows it, and by name: a container may see the folder elsewhere. A file of that name
// elsewhere only keeps one more segment.
class Used {
public:
    explicit Used(const std::vector<Candidate>& candidates) {
        for (const auto& candidate : candidates) {
            names_.insert(candidate.path.filename().string());
            inodes_.insert(candidate.info.st_ino);
        }
        for (const pid_t pid : all_processes()) {
            if (is_own(pid)) {
                look_at(pid);
            }
        }
    }
    bool has(const Candidate& candidate) const {
        return used_names_.count(candidate.path.filename().string()) > 0 ||
               used_inodes_.count(candidate.info.st_ino) > 0;
    }

private:
    void note(std::string_view path) {
        constexpr std::string_view kDeleted = " (deleted)";
        if (path.ends_with(kDeleted)) {
            return;
        }
        const auto slash = path.rfind('/');
        if (const std::string name(slash == std::string_view::npos ? path : path.substr(slash + 1));
            names_.count(name) > 0) {
            used_names_.insert(name);
        }
    }
    void look_at(pid_t pid) {
        const std::string base = "/proc/" + std::to_string(pid);
        std::istringstream maps(read_file(base + "/maps").value_or(std::string()));
        for (std::string line; std::getline(maps, line);) {
            const auto slash = line.find('/');
            if (slash == std::string::npos) {
                continue;
            }
            note(std::string_view(line).substr(slash));
            std::istringstream fields(line.substr(0, slash));  // address, rights, offset, device, inode
            std::string skipped;
            ino_t inode = 0;
            if (fields >> skipped >> skipped >> skipped >> skipped >> inode && inodes_.count(inode) > 0) {
                used_inodes_.insert(inode);
            }
        }
        // The links alone are read: what an open file is may lie on a server that does not answer.
        std::error_code error;
        for (fs::directory_iterator fd(base + "/fd", error), end; !error && fd != end; fd.increment(error)) {
            std::error_code ignored;
            note(fs::read_symlink(fd->path(), ignored).string());
        }
    }

    std::set<std::string> names_;
    std::set<ino_t> inodes_;
    std::set<std::string> used_names_;
    std::set<ino_t> used_inodes_;
};

// torch_PID_NUMBER_…: who made it; 0: the name does not say.
pid_t maker_in(const std::string& name) {
    constexpr std::string_view kTorch = "torch_";
    return name.starts_with(kTorch) && std::isdigit(static_cast<unsigned char>(name[kTorch.size()])) != 0
               ? static_cast<pid_t>(std::atol(name.c_str() + kTorch.size()))
               : 0;
}

// Its process is there, and did not get the number later.
bool maker_lives(const Candidate& candidate) {
    const pid_t maker = maker_in(candidate.path.filename().string());
    return maker > 1 && is_own(maker) && !is_zombie(maker) &&
           started_at(maker) <= candidate.info.st_mtime + kClockJitter;
}

const LiveSupervisor* possible_owner(const Candidate& candidate, const LiveRuns& live) {
    const std::string name = candidate.path.filename().string();
    const auto begun = std::min(candidate.info.st_mtime, candidate.info.st_ctime);
    const LiveSupervisor* owner = nullptr;
    for (const auto& supervisor : live.all()) {
        if (!supervisor.run_id.empty() && name.find(supervisor.run_id) != std::string::npos) {
            return &supervisor;
        }
        if (supervisor.started_at <= begun + kClockJitter) {
            owner = &supervisor;
        }
    }
    return owner;
}

}  // namespace

fs::path shared_memory_folder() {
    const char* own = std::getenv("RANKSCOPE_SHM_DIR");
    return own != nullptr && own[0] == '/' ? fs::path(own) : fs::path(kSharedMemory);
}

std::vector<AbandonedRingFolder> abandoned_rings(const fs::path& folder, const LiveRuns& live) {
    std::set<std::string> names;
    for (const auto& supervisor : live.all()) {
        names.insert(ring_folder_name(supervisor.dir));
    }
    return abandoned_ring_folders(folder == kSharedMemory ? ring_parents() : std::vector{folder}, names);
}

std::vector<UnusedSegment> unused_segments(const fs::path& folder, const LiveRuns& live) {
    // They are listed before the processes are looked at: one that is made meanwhile is not among them.
    std::vector<Candidate> candidates = own_segments(folder);
    for (int look = 0; look < kLooks && !candidates.empty(); ++look) {
        const Used used(candidates);
        std::erase_if(candidates, [&](const Candidate& candidate) { return used.has(candidate); });
    }
    std::vector<UnusedSegment> found;
    for (const auto& candidate : candidates) {
        if (!maker_lives(candidate)) {
            found.push_back({candidate.path, static_cast<std::uint64_t>(candidate.info.st_size),
                             is_a_trainers(candidate.path.filename().string()),
                             possible_owner(candidate, live)});
        }
    }
    return found;
}

FreedMemory free_shared_memory(const fs::path& folder, const LiveRuns& live, bool dry_run) {
    FreedMemory freed;
    for (const auto& segment : unused_segments(folder, live)) {
        if (!segment.of_trainer) {
            continue;
        }
        if (segment.may_be_of != nullptr) {
            freed.kept.push_back(as_utf8(segment.path.string()));
        } else if (dry_run || ::unlink(segment.path.c_str()) == 0) {
            freed.removed.push_back(as_utf8(segment.path.string()));
        }
    }
    for (const auto& ring : abandoned_rings(folder, live)) {
        std::error_code error;
        if (dry_run || fs::remove_all(ring.path, error) > 0) {
            freed.removed.push_back(as_utf8(ring.path.string()));
        }
    }
    return freed;
}

}  // namespace rankscope::agent
