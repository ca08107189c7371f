// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <base/files.h>
#include <base/sha256.h>
#include <remote/agent/files/bundle_store.h>
#include <remote/agent/files/zstd_frame.h>

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <optional>
#include <sstream>

namespace rankscope::agent {
namespace fs = std::filesystem;
namespace {

constexpr const char* kVerified = ".verified";
constexpr std::uint64_t kMaxFile = 16ULL << 30U;
constexpr int kMaxFiles = 10000;

// A line for each file that was hashed: its name, then what stat(2) said. The kernel sets the second time
// (ctime) at every change; no user can set it back.
std::string stamp_of(const struct stat& info, const std::string& sha256) {
    std::ostringstream stamp;
    stamp << info.st_size << ' ' << info.st_ino << ' ' << info.st_mtim.tv_sec << '.' << info.st_mtim.tv_nsec
          << ' ' << info.st_ctim.tv_sec << '.' << info.st_ctim.tv_nsec << ' '
          << to_hex({reinterpret_cast<const unsigned char*>(sha256.data()), sha256.size()});
    return stamp.str();
}

using Stamps = std::map<std::string, std::string>;  // by name

Stamps read_stamps(const fs::path& folder) {
    Stamps stamps;
    std::istringstream lines(read_file(folder / kVerified).value_or(""));
    for (std::string line; std::getline(lines, line);) {
        const auto blank = line.find(' ');
        if (blank != std::string::npos) {
            stamps[line.substr(0, blank)] = line.substr(blank + 1);
        }
    }
    return stamps;
}

void write_stamps(const fs::path& folder, const Stamps& stamps) {
    std::string text;
    for (const auto& [name, stamp] : stamps) {
        text += name + ' ' + stamp + '\n';
    }
    write_file_atomically(folder / kVerified, text);  // without it, the files are hashed again next time
}

bool only_user_writes(const struct stat& info) {
    return info.st_uid == ::geteuid() && (info.st_mode & (S_IWGRP | S_IWOTH)) == 0;
}

bool is_as_announced(const fs::path& folder, const wire::FileRef& file, Stamps& stamps) {
    struct stat info {};
    const fs::path path = folder / file.name();
    if (!is_safe_name(file.name()) || ::lstat(path.c_str(), &info) != 0 || !S_ISREG(info.st_mode) ||
        static_cast<std::uint64_t>(info.st_size) != file.size() || !only_user_writes(info)) {
        return false;
    }
    const std::string stamp = stamp_of(info, file.sha256());
    auto& known = stamps[file.name()];
    if (known == stamp) {
        return true;
    }
    const auto digest = sha256_of_file(path);
    const bool right = digest && std::string(digest->begin(), digest->end()) == file.sha256();
    known = right ? stamp : "";
    return right;
}

}  // namespace

BundleStore::BundleStore(NodePaths paths) : paths_(std::move(paths)) {}

// What lies there is executed. It may be from a time when others could write to the cache folder.
AgentResult<void> BundleStore::check_folders(const std::string& bundle) const {
    for (const auto& folder : {paths_.bundles(), paths_.bundle(bundle)}) {
        struct stat info {};
        if (::lstat(folder.c_str(), &info) != 0) {
            continue;
        }
        const bool own_link =
            S_ISLNK(info.st_mode) && info.st_uid == ::geteuid() && ::stat(folder.c_str(), &info) == 0;
        if ((S_ISLNK(info.st_mode) && !own_link) || !only_user_writes(info)) {
            return AgentFailure{.code = "cache-unsafe", .detail = folder.string(), .args = {folder.string()}};
        }
    }
    return {};
}

AgentResult<wire::MissingFiles> BundleStore::missing(const wire::HaveFiles& request) const {
    if (!is_safe_name(request.bundle()) || request.files_size() > kMaxFiles) {
        return AgentFailure{"bad-request", "unsafe bundle name, or too many files"};
    }
    if (auto safe = check_folders(request.bundle()); !safe) {
        return std::move(safe.failure());
    }
    wire::MissingFiles missing;
    const fs::path folder = paths_.bundle(request.bundle());
    const Stamps before = read_stamps(folder);
    Stamps stamps = before;
    for (int i = 0; i < request.files_size(); ++i) {
        if (!is_as_announced(folder, request.files(i), stamps)) {
            missing.add_index(static_cast<std::uint32_t>(i));
        }
    }
    std::erase_if(stamps, [](const auto& entry) { return entry.second.empty(); });
    std::error_code error;
    if (stamps != before && fs::is_directory(folder, error)) {
        write_stamps(folder, stamps);
    }
    return missing;
}

AgentResult<std::uint64_t> BundleStore::put(const wire::PutFile& piece) {
    if (!is_safe_name(piece.bundle()) || !is_safe_name(piece.file().name()) ||
        piece.file().size() > kMaxFile) {
        return AgentFailure{"bad-request", "unsafe file name, or too large a file"};
    }
    if (piece.offset() == 0) {
        if (auto begun = begin(piece); !begun) {
            return std::move(begun.failure());
        }
    }
    if (!incoming_ || file_.name() != piece.file().name() || incoming_->received() != piece.offset()) {
        return AgentFailure{"bad-request", "pieces out of order"};
    }
    std::optional<std::string> plain;
    if (piece.zstd()) {
        plain = unpack_zstd(piece.data());
        if (!plain) {
            return AgentFailure{"damaged", "zstd frame of " + piece.file().name()};
        }
    }
    if (auto written = write_piece(plain ? *plain : piece.data()); !written) {
        return std::move(written.failure());
    }
    const std::uint64_t received = incoming_->received();
    if (received > file_.size()) {
        incoming_.reset();
        return AgentFailure{"damaged", file_.name() + " is longer than announced"};
    }
    if (received == file_.size()) {
        if (auto finished = finish(); !finished) {
            return std::move(finished.failure());
        }
    }
    return received;
}

AgentResult<void> BundleStore::begin(const wire::PutFile& piece) {
    incoming_.reset();
    if (auto safe = check_folders(piece.bundle()); !safe) {
        return safe;
    }
    file_ = piece.file();
    incoming_ = std::make_unique<IncomingFile>(paths_.bundle(piece.bundle()) / file_.name());
    auto created = incoming_->create();
    if (!created) {
        incoming_.reset();
    }
    return created;
}

AgentResult<void> BundleStore::write_piece(std::string_view data) {
    auto appended = incoming_->append(data);
    if (!appended) {
        incoming_.reset();
    }
    return appended;
}

AgentResult<void> BundleStore::finish() {
    const auto incoming = std::move(incoming_);
    if (incoming->digest() != file_.sha256()) {
        return AgentFailure{"damaged", file_.name() + " arrived with another checksum"};
    }
    return incoming->place(static_cast<mode_t>(file_.mode() & 0700U) | 0400U);
}

}  // namespace rankscope::agent
