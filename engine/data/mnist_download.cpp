// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <engine/data/fetch.h>
#include <engine/data/mnist_download.h>
#include <engine/data/sha256.h>
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

constexpr const char* kMirrors =
    "https://ossci-datasets.s3.amazonaws.com/mnist/ "
    "https://storage.googleapis.com/cvdf-datasets/mnist/ "
    "http://yann.lecun.com/exdb/mnist/";

std::vector<std::string> mirrors() {
    const char* chosen = std::getenv("RANKSCOPE_MNIST_MIRRORS");
    std::istringstream words(chosen != nullptr ? chosen : kMirrors);
    std::vector<std::string> urls;
    for (std::string url; words >> url;) {
        urls.push_back(url.back() == '/' ? url : url + "/");
    }
    return urls;
}

/// Held while downloading; the kernel frees it when the process dies.
class FolderLock {
public:
    FolderLock(const fs::path& folder, const DataProgress& progress) {
        const std::string name = (folder / ".lock").string();
        descriptor_ = open(name.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
        if (descriptor_ < 0) {
            throw Error(name + ": cannot be created: " + std::strerror(errno));
        }
        if (flock(descriptor_, LOCK_EX | LOCK_NB) == 0) {
            return;
        }
        progress("another rank of this node is downloading MNIST", 0, 0);
        while (flock(descriptor_, LOCK_EX) != 0 && errno == EINTR) {
        }
    }
    FolderLock(const FolderLock&) = delete;
    FolderLock& operator=(const FolderLock&) = delete;
    ~FolderLock() { close(descriptor_); }

private:
    int descriptor_ = -1;
};

bool is_good(const fs::path& path, const RemoteFile& file) {
    std::error_code failed;
    return fs::file_size(path, failed) == file.bytes && !failed && sha256_of_file(path) == file.sha256;
}

/// Why no mirror gave the file; empty when it is there.
std::string fetch_from_mirrors(const fs::path& folder, const RemoteFile& file,
                               const std::function<void(const std::string&, std::uint64_t)>& progress) {
    std::string reasons;
    for (const std::string& mirror : mirrors()) {
        const fs::path part = folder / (file.name + ".part." + std::to_string(getpid()));
        std::string why = fetch(mirror + file.name, part, [&](std::uint64_t bytes) {
            progress("downloading " + file.name + " from " + mirror, bytes);
        });
        if (why.empty() && !is_good(part, file)) {
            why = "what came is not MNIST (size or SHA-256 differ)";
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
    return reasons.empty() ? "  RANKSCOPE_MNIST_MIRRORS names no mirror\n" : reasons;
}

[[noreturn]] void give_up(const fs::path& folder, const std::string& root, const std::string& reasons) {
    std::string missing;
    for (const RemoteFile& file : mnist_files()) {
        missing += is_good(folder / file.name, file) ? "" : "  " + file.name + "\n";
    }
    throw Error("MNIST is not on this node and could not be downloaded.\n" + reasons +
                "Put these files into " + (root.empty() ? "" : root + " or ") + folder.string() +
                " (gzip or unpacked):\n" + missing +
                "Or train on digits that the program draws itself, which needs no files: dataset: {name: "
                "synthetic-digits}. Another source: RANKSCOPE_MNIST_MIRRORS=\"https://host/folder/\".");
}

}  // namespace

const std::vector<RemoteFile>& mnist_files() {
    static const std::vector<RemoteFile> files{
        {"train-images-idx3-ubyte.gz", 9912422,
         "440fcabf73cc546fa21475e81ea370265605f56be210a4024d2ca8f203523609"},
        {"train-labels-idx1-ubyte.gz", 28881,
         "3552534a0a558bbed6aed32b30c495cca23d567ec52cac8be1a0730e8010255c"},
        {"t10k-images-idx3-ubyte.gz", 1648877,
         "8d422c7b0a1c1c79245a5bcf07fe86e33eeafee792b84584aec276f5a2dbc4e6"},
        {"t10k-labels-idx1-ubyte.gz", 4542,
         "f7ae60f92e00ec6debd23a6088c31dbd2371eca3ffa0defaefb259924204aec6"}};
    return files;
}

void download_mnist(const fs::path& folder, const std::string& root, const DataProgress& progress) {
    std::error_code failed;
    fs::create_directories(folder, failed);
    if (failed) {
        throw Error(folder.string() + ": cannot be created: " + failed.message());
    }
    const FolderLock lock(folder, progress);
    std::uint64_t total = 0;
    for (const RemoteFile& file : mnist_files()) {
        total += file.bytes;
    }
    std::uint64_t done = 0;
    for (const RemoteFile& file : mnist_files()) {
        if (!is_good(folder / file.name, file)) {
            const std::string reasons = fetch_from_mirrors(
                folder, file,
                [&](const std::string& what, std::uint64_t n) { progress(what, done + n, total); });
            if (!reasons.empty()) {
                give_up(folder, root, reasons);
            }
        }
        done += file.bytes;
    }
    progress("MNIST is complete", total, total);
}

}  // namespace rankscope::engine
