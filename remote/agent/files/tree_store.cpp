// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <base/files.h>
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

// Below the folder, whatever the desk says.
bool is_safe_path(const std::string& path) {
    if (path.empty() || path.size() > 4000 || path.front() == '/' || path.find('\0') != std::string::npos) {
        return false;
    }
    const fs::path parts(path);
    return std::none_of(parts.begin(), parts.end(),
                        [](const fs::path& part) { return part.empty() || part == "." || part == ".."; });
}

AgentFailure tree_failure(int error, const std::string& what) {
    auto failure = failure_from_errno(error, what);
    if (failure.code == "no-permission" || failure.code == "read-only" || error == ENOTDIR ||
        error == EISDIR || error == EEXIST) {
        failure.code = "workdir-not-writable";
    }
    return failure;
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

std::optional<AgentFailure> TreeStore::have(const wire::HaveTree& request, wire::TreeMissing& missing) {
    incoming_.reset();
    for (const auto& entry : request.entries()) {
        if (!is_safe_path(entry.path()) || entry.kind() > kLink) {
            return AgentFailure{"bad-request", "unsafe path in push: " + entry.path()};
        }
    }
    tree_ = request;
    folder_ = request.folder().empty() ? paths_.root() / "jobs" / folder_name(request.job())
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
    missing.set_folder(folder_.string());
    for (int i = 0; i < tree_.entries_size(); ++i) {
        const auto& entry = tree_.entries(i);
        if (entry.kind() == kFile && !same_content(place_of(entry), entry)) {
            missing.add_index(static_cast<std::uint32_t>(i));
        }
    }
    return std::nullopt;
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

std::optional<AgentFailure> TreeStore::put(const wire::PutTree& request) {
    const auto plain = unpack_zstd(request.batch());
    wire::TreePieces pieces;
    if (!plain || !pieces.ParseFromString(*plain)) {
        return AgentFailure{"damaged", "zstd frame of pushed files"};
    }
    for (const auto& piece : pieces.pieces()) {
        if (auto failure = put_piece(piece)) {
            incoming_.reset();
            return failure;
        }
    }
    return std::nullopt;
}

std::optional<AgentFailure> TreeStore::begin(const wire::TreePiece& piece) {
    if (piece.index() >= static_cast<std::uint32_t>(tree_.entries_size()) ||
        tree_.entries(static_cast<int>(piece.index())).kind() != kFile) {
        return AgentFailure{"bad-request", "a pushed file that was not announced"};
    }
    incoming_ = std::make_unique<IncomingFile>(place_of(tree_.entries(static_cast<int>(piece.index()))));
    incoming_index_ = piece.index();
    if (const int error = incoming_->create(); error != 0) {
        return tree_failure(error, incoming_->folder());
    }
    return std::nullopt;
}

std::optional<AgentFailure> TreeStore::put_piece(const wire::TreePiece& piece) {
    if (piece.offset() == 0) {
        if (auto failure = begin(piece)) {
            return failure;
        }
    }
    if (!incoming_ || incoming_index_ != piece.index() || incoming_->received() != piece.offset()) {
        return AgentFailure{"bad-request", "pieces out of order"};
    }
    if (const int error = incoming_->append(piece.data()); error != 0) {
        return tree_failure(error, incoming_->target().string());
    }
    const auto size = tree_.entries(static_cast<int>(piece.index())).size();
    if (incoming_->received() > size) {
        return AgentFailure{"push-changed", incoming_->target().string()};
    }
    return incoming_->received() == size ? complete() : std::nullopt;
}

std::optional<AgentFailure> TreeStore::complete() {
    const auto& entry = tree_.entries(static_cast<int>(incoming_index_));
    if (incoming_->digest() != entry.sha256()) {
        return AgentFailure{"push-changed", incoming_->target().string()};
    }
    if (const int error = incoming_->place(static_cast<mode_t>(entry.mode() & 0777U) | 0400U); error != 0) {
        return tree_failure(error, incoming_->target().string());
    }
    incoming_.reset();
    return std::nullopt;
}

std::optional<AgentFailure> TreeStore::place_links_and_modes() {
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
            ::chmod(place.c_str(), mode);  // somebody else's folder keeps its mode
        }
    }
    return std::nullopt;
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
        removed += fs::remove(file, error) ? 1 : 0;
        for (fs::path parent = fs::path(path).parent_path();
             !parent.empty() && wanted.count(parent.string()) == 0; parent = parent.parent_path()) {
            if (::rmdir((folder_ / parent).c_str()) != 0) {
                break;  // not empty: something of the user's
            }
        }
    }
    return removed;
}

std::optional<AgentFailure> TreeStore::finish(wire::TreeDone& done) {
    if (folder_.empty() || incoming_) {
        return AgentFailure{"bad-request", "files are still under way"};
    }
    if (auto failure = place_links_and_modes()) {
        return failure;
    }
    done.set_folder(folder_.string());
    done.set_removed(remove_stale());
    if (const int error = write_manifest(); error != 0) {
        return failure_from_errno(error, manifest_.string());
    }
    return std::nullopt;
}

void TreeStore::read_manifest() {
    before_.clear();
    const std::string folder = folder_.string();
    Sha256 hash;
    hash.update(std::as_bytes(std::span(folder.data(), folder.size())));
    manifest_ = paths_.root() / "pushed" / (to_hex(hash.finish()).substr(0, 32) + ".json");
    const auto json = nlohmann::json::parse(read_file(manifest_).value_or(""), nullptr, false);
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

int TreeStore::write_manifest() const {
    auto files = nlohmann::json::array();
    for (const auto& entry : tree_.entries()) {
        struct stat info {};
        if (entry.kind() != kFile || ::lstat(place_of(entry).c_str(), &info) != 0) {
            continue;
        }
        const auto* sha = reinterpret_cast<const unsigned char*>(entry.sha256().data());
        files.push_back({entry.path(), static_cast<std::uint64_t>(info.st_size), mtime_ns(info),
                         to_hex(std::span(sha, entry.sha256().size()))});
    }
    // A name that is no UTF-8 is written with replacements, found nowhere again, and so never taken for ours.
    const std::string text = nlohmann::json{{"folder", folder_.string()}, {"files", files}}.dump(
        -1, ' ', false, nlohmann::json::error_handler_t::replace);
    return write_file_atomically(manifest_, text);
}

}  // namespace rankscope::agent
