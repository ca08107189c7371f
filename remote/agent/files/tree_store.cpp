// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <base/files.h>
#include <base/json_text.h>
#include <base/paths.h>
#include <base/sha256.h>
#include <remote/agent/files/tree_store.h>
#include <remote/agent/files/zstd_frame.h>

#include <nlohmann/json.hpp>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <set>
#include <span>
#include <vector>

namespace rankscope::agent {
namespace {

namespace fs = std::filesystem;

constexpr std::uint32_t kFile = 0;
constexpr std::uint32_t kFolder = 1;
constexpr std::uint32_t kLink = 2;
constexpr int kMaxEntries = 1000000;

// Below the folder, whatever the desk says.
bool is_safe_path(const std::string& path) {
    if (path.empty() || path.size() > 4000 || path.front() == '/' || path.find('\0') != std::string::npos) {
        return false;
    }
    const fs::path parts(path);
    return std::none_of(parts.begin(), parts.end(),
                        [](const fs::path& part) { return part.empty() || part == "." || part == ".."; });
}

// The folder is the user's choice: what is wrong with it is not the cache's fault.
AgentFailure of_workdir(AgentFailure failure) {
    if (failure.code == "no-permission" || failure.code == "read-only" || failure.error == ENOTDIR ||
        failure.error == EISDIR || failure.error == EEXIST) {
        failure.code = "workdir-not-writable";
    }
    return failure;
}

AgentFailure tree_failure(int error, const std::string& what) {
    return of_workdir(failure_from_errno(error, what));
}

// The same for a result; what is well stays well.
AgentResult<void> of_workdir(AgentResult<void> result) {
    return result ? AgentResult<void>() : AgentResult<void>(of_workdir(std::move(result.failure())));
}

std::int64_t mtime_ns(const struct stat& info) {
    return static_cast<std::int64_t>(info.st_mtim.tv_sec) * 1000000000 + info.st_mtim.tv_nsec;
}

std::string bytes_of(const Sha256Digest& digest) {
    return {digest.begin(), digest.end()};
}

// A folder's name from a job's: readable, safe, and not the same for two jobs that only look alike.
std::string folder_name(const std::string& job) {
    std::string name;
    for (const char c : job.substr(0, 60)) {
        name += is_safe_name(std::string("x") + c) ? c : '_';
    }
    if (name == job && is_safe_name(job)) {
        return name;
    }
    Sha256 hash;
    hash.update(std::as_bytes(std::span(job.data(), job.size())));
    const auto digest = hash.finish();
    return "job-" + name + '-' + to_hex(std::span(digest).first(4));
}

}  // namespace

TreeStore::TreeStore(NodePaths paths) : paths_(std::move(paths)) {}

fs::path TreeStore::place_of(const wire::TreeEntry& entry) const {
    return folder_ / entry.path();
}

AgentResult<wire::TreeMissing> TreeStore::have(const wire::HaveTree& request) {
    incoming_.reset();
    if (request.entries_size() > kMaxEntries) {
        return AgentFailure{"bad-request", "too many files in push"};
    }
    for (const auto& entry : request.entries()) {
        if (!is_safe_path(entry.path()) || entry.kind() > kLink) {
            return AgentFailure{"bad-request", "unsafe path in push: " + entry.path()};
        }
    }
    tree_ = request;
    folder_ = request.packages()         ? paths_.packages()
              : request.folder().empty() ? paths_.root() / "jobs" / folder_name(request.job())
                                         : home_dir() / expand_home(request.folder());
    std::error_code error;
    fs::create_directories(folder_, error);
    if (error || ::access(folder_.c_str(), W_OK | X_OK) != 0) {
        const int why = error ? error.value() : errno;
        tree_.Clear();
        auto failure = tree_failure(why, folder_.string());
        if (failure.code != "disk-full") {
            failure.code = "workdir-not-writable";
        }
        return failure;
    }
    read_manifest();
    wire::TreeMissing missing;
    missing.set_folder(folder_.string());
    for (int i = 0; i < tree_.entries_size(); ++i) {
        const auto& entry = tree_.entries(i);
        if (entry.kind() == kFile && !same_content(place_of(entry), entry)) {
            missing.add_index(static_cast<std::uint32_t>(i));
        }
    }
    return missing;
}

bool TreeStore::same_content(const fs::path& file, const wire::TreeEntry& entry) const {
    struct stat info {};
    if (::lstat(file.c_str(), &info) != 0 || !S_ISREG(info.st_mode) ||
        static_cast<std::uint64_t>(info.st_size) != entry.size()) {
        return false;
    }
    // As it was when we wrote it: no need to read it.
    const auto known = before_.find(entry.path());
    if (known != before_.end() && known->second.mtime_ns == mtime_ns(info) &&
        known->second.size == entry.size()) {
        return known->second.sha256 == entry.sha256();
    }
    const auto digest = sha256_of_file(file);
    return digest && bytes_of(*digest) == entry.sha256();
}

AgentResult<void> TreeStore::put(const wire::PutTree& request) {
    const auto plain = unpack_zstd(request.batch());
    wire::TreePieces pieces;
    if (!plain || !pieces.ParseFromString(*plain)) {
        return AgentFailure{"damaged", "zstd frame of pushed files"};
    }
    for (const auto& piece : pieces.pieces()) {
        if (auto result = put_piece(piece); !result) {
            incoming_.reset();
            return result;
        }
    }
    return {};
}

AgentResult<void> TreeStore::begin(const wire::TreePiece& piece) {
    if (piece.index() >= static_cast<std::uint32_t>(tree_.entries_size()) ||
        tree_.entries(static_cast<int>(piece.index())).kind() != kFile) {
        return AgentFailure{"bad-request", "a pushed file that was not announced"};
    }
    incoming_ = std::make_unique<IncomingFile>(place_of(tree_.entries(static_cast<int>(piece.index()))));
    incoming_index_ = piece.index();
    return of_workdir(incoming_->create());
}

AgentResult<void> TreeStore::put_piece(const wire::TreePiece& piece) {
    if (piece.offset() == 0) {
        if (auto begun = begin(piece); !begun) {
            return begun;
        }
    }
    if (!incoming_ || incoming_index_ != piece.index() || incoming_->received() != piece.offset()) {
        return AgentFailure{"bad-request", "pieces out of order"};
    }
    if (auto appended = of_workdir(incoming_->append(piece.data())); !appended) {
        return appended;
    }
    const auto size = tree_.entries(static_cast<int>(piece.index())).size();
    if (incoming_->received() > size) {
        return AgentFailure{"push-changed", incoming_->target().string()};
    }
    return incoming_->received() == size ? complete() : AgentResult<void>();
}

AgentResult<void> TreeStore::complete() {
    const auto& entry = tree_.entries(static_cast<int>(incoming_index_));
    if (incoming_->digest() != entry.sha256()) {
        return AgentFailure{"push-changed", incoming_->target().string()};
    }
    auto placed = of_workdir(incoming_->place(static_cast<mode_t>(entry.mode() & 0777U) | 0400U));
    incoming_.reset();
    return placed;
}

AgentResult<void> TreeStore::place_links_and_modes() {
    std::error_code error;
    for (const auto& entry : tree_.entries()) {
        const fs::path place = place_of(entry);
        if (entry.kind() == kFolder) {
            fs::create_directories(place, error);
            if (error) {
                return tree_failure(error.value(), place.string());
            }
        } else if (entry.kind() == kLink && fs::read_symlink(place, error) != fs::path(entry.target())) {
            const fs::path temporary = place.parent_path() / part_name();
            fs::create_directories(place.parent_path(), error);
            fs::remove(temporary, error);
            if (::symlink(entry.target().c_str(), temporary.c_str()) != 0 ||
                ::rename(temporary.c_str(), place.c_str()) != 0) {
                const int why = errno;
                fs::remove(temporary, error);
                return tree_failure(why, place.string());
            }
        }
    }
    // Innermost first: a folder that may not be written comes after what is in it.
    for (auto entry = tree_.entries().rbegin(); entry != tree_.entries().rend(); ++entry) {
        struct stat info {};
        const fs::path place = place_of(*entry);
        const auto mode =
            static_cast<mode_t>(entry->mode() & 0777U) | (entry->kind() == kFolder ? 0700U : 0400U);
        if (entry->kind() != kLink && ::lstat(place.c_str(), &info) == 0 && !S_ISLNK(info.st_mode) &&
            (info.st_mode & 0777U) != mode) {
            ::chmod(place.c_str(), mode);  // another user's folder keeps its mode
        }
    }
    return {};
}

std::uint32_t TreeStore::remove_stale() {
    std::set<std::string> wanted;
    for (const auto& entry : tree_.entries()) {
        wanted.insert(entry.path());
    }
    std::uint32_t removed = 0;
    for (const auto& [path, placed] : before_) {
        struct stat info {};
        const fs::path file = folder_ / path;
        if (wanted.count(path) != 0 || ::lstat(file.c_str(), &info) != 0 || !S_ISREG(info.st_mode) ||
            static_cast<std::uint64_t>(info.st_size) != placed.size || mtime_ns(info) != placed.mtime_ns) {
            continue;
        }
        std::error_code error;
        removed += fs::remove(file, error) ? 1U : 0U;
        for (fs::path parent = fs::path(path).parent_path();
             !parent.empty() && wanted.count(parent.string()) == 0; parent = parent.parent_path()) {
            if (::rmdir((folder_ / parent).c_str()) != 0) {
                break;  // not empty: something of the user's
            }
        }
    }
    return removed;
}

AgentResult<wire::TreeDone> TreeStore::finish() {
    if (folder_.empty() || incoming_) {
        return AgentFailure{"bad-request", "files are still on their way"};
    }
    if (auto placed = place_links_and_modes(); !placed) {
        return std::move(placed.failure());
    }
    wire::TreeDone done;
    done.set_folder(folder_.string());
    done.set_removed(tree_.packages() ? 0 : remove_stale());
    if (auto written = write_manifest(); !written) {
        return std::move(written.failure());
    }
    return done;
}

void TreeStore::read_manifest() {
    before_.clear();
    const std::string folder = folder_.string();
    Sha256 hash;
    hash.update(std::as_bytes(std::span(folder.data(), folder.size())));
    manifest_ = paths_.root() / "pushed" / (to_hex(hash.finish()).substr(0, 32) + ".json");
    const auto json = read_json(read_file(manifest_).value_or(""));
    if (!json.is_object() || !json.contains("files") || !json["files"].is_array()) {
        return;
    }
    for (const auto& file : json["files"]) {
        if (!file.is_array() || file.size() != 4 || !file[0].is_string() || !file[1].is_number_unsigned() ||
            !file[2].is_number_integer() || !file[3].is_string()) {
            continue;
        }
        const auto digest = digest_from_hex(file[3].get<std::string>());
        const auto path = file[0].get<std::string>();
        if (digest && is_safe_path(path)) {
            before_[path] = {file[1].get<std::uint64_t>(), file[2].get<std::int64_t>(), bytes_of(*digest)};
        }
    }
}

AgentResult<void> TreeStore::write_manifest() const {
    std::map<std::string, Placed> placed;
    if (tree_.packages()) {
        placed = before_;  // they stay
    }
    for (const auto& entry : tree_.entries()) {
        struct stat info {};
        if (entry.kind() == kFile && ::lstat(place_of(entry).c_str(), &info) == 0) {
            placed[entry.path()] = {static_cast<std::uint64_t>(info.st_size), mtime_ns(info), entry.sha256()};
        }
    }
    auto files = nlohmann::json::array();
    for (const auto& [path, file] : placed) {
        const auto* sha = reinterpret_cast<const unsigned char*>(file.sha256.data());
        files.push_back({path, file.size, file.mtime_ns, to_hex(std::span(sha, file.sha256.size()))});
    }
    // A name that is no UTF-8 is written with replacements, found nowhere again, and so never taken for ours.
    const std::string text = nlohmann::json{{"folder", folder_.string()}, {"files", files}}.dump(
        -1, ' ', false, nlohmann::json::error_handler_t::replace);
    const int error = write_file_atomically(manifest_, text);
    return error == 0 ? AgentResult<void>() : failure_from_errno(error, manifest_.string());
}

}  // namespace rankscope::agent
