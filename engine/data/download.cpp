// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <engine/data/download.h>
#include <engine/data/fetch.h>
#include <engine/error.h>

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <sstream>
#include <utility>

namespace rankscope::engine {
namespace {

namespace fs = std::filesystem;

std::vector<std::string> mirrors_of(const RemoteSet& set) {
    const char* chosen = std::getenv(set.mirrors_variable.c_str());
    std::istringstream words(chosen != nullptr ? chosen : set.mirrors);
    std::vector<std::string> urls;
    for (std::string url; words >> url;) {
        urls.push_back(url.back() == '/' ? url : url + "/");
    }
    return urls;
}

/// Held while downloading; the kernel frees it when the process ends.
class FolderLock {
public:
    FolderLock(const fs::path& folder, const std::string& title, const DataProgress& progress) {
        const std::string name = (folder / ".lock").string();
        descriptor_ = open(name.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
        if (descriptor_ < 0) {
            throw Error(name + ": cannot be created: " + std::strerror(errno));
        }
        if (flock(descriptor_, LOCK_EX | LOCK_NB) == 0) {
            return;
        }
        progress("another rank of this node is downloading " + title, 0, 0);
        while (flock(descriptor_, LOCK_EX) != 0 && errno == EINTR) {
        }
    }
    FolderLock(const FolderLock&) = delete;
    FolderLock& operator=(const FolderLock&) = delete;
    ~FolderLock() { close(descriptor_); }

private:
    int descriptor_ = -1;
};

/// Why no mirror gave the file; empty when it is there.
std::string fetch_from_mirrors(const RemoteSet& set, const fs::path& folder, const PublishedFile& file,
                               const std::function<void(const std::string&, std::uint64_t)>& progress) {
    std::string reasons;
    for (const std::string& mirror : mirrors_of(set)) {
        const fs::path part = folder / (file.name + ".part." + std::to_string(getpid()));
        std::string why = fetch(mirror + file.name, part, [&](std::uint64_t bytes) {
            progress("downloading " + file.name + " from " + mirror, bytes);
        });
        if (why.empty() && !is_as_published(part, file)) {
            why = "what came is not " + set.title + " (size or SHA-256 differ)";
        }
        std::error_code failed;
        if (why.empty()) {
            fs::rename(part, folder / file.name, failed);
            why = failed ? "cannot be stored: " + failed.message() : "";
        }
        if (why.empty()) {
            return "";
        }
        fs::remove(part, failed);
        reasons += "  " + mirror + file.name + ": " + why + "\n";
    }
    return reasons.empty() ? "  " + set.mirrors_variable + " names no mirror\n" : reasons;
}

[[noreturn]] void give_up(const RemoteSet& set, const fs::path& folder, const std::string& root,
                          const std::string& reasons) {
    std::string missing;
    for (const PublishedFile& file : set.files) {
        missing += is_as_published(folder / file.name, file) ? "" : "  " + file.name + "\n";
    }
    throw Error(set.title + " is not on this node and could not be downloaded.\n" + reasons +
                "Put these files into " + (root.empty() ? "" : root + " or ") + folder.string() + " (" +
                set.how_to_put + "):\n" + missing + set.otherwise +
                " Another source: " + set.mirrors_variable + "=\"https://host/folder/\".");
}

}  // namespace

void download(const RemoteSet& set, const fs::path& folder, const std::string& root,
              const DataProgress& progress) {
    std::error_code failed;
    fs::create_directories(folder, failed);
    if (failed) {
        throw Error(folder.string() + ": cannot be created: " + failed.message());
    }
    const FolderLock lock(folder, set.title, progress);
    if (set.is_there && set.is_there()) {
        return;
    }
    std::uint64_t total = 0;
    for (const PublishedFile& file : set.files) {
        total += file.bytes;
    }
    std::uint64_t done = 0;
    for (const PublishedFile& file : set.files) {
        if (!is_as_published(folder / file.name, file)) {
            const std::string reasons = fetch_from_mirrors(
                set, folder, file,
                [&](const std::string& what, std::uint64_t n) { progress(what, done + n, total); });
            if (!reasons.empty()) {
                give_up(set, folder, root, reasons);
            }
        }
        done += file.bytes;
    }
    if (set.unpack) {
        progress("unpacking " + set.title, total, total);
        set.unpack();
    }
    progress(set.title + " is complete", total, total);
}

}  // namespace rankscope::engine
