// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <base/private_folder.h>

#include <unistd.h>

#include <cstdlib>
#include <string>

namespace rankscope {
namespace {

constexpr std::size_t kLongestBase = 48;  // ssh adds 17 characters to a control socket while it makes it
constexpr int kMostRemovals = 16;

}  // namespace

PrivateFolder::PrivateFolder(Where where) {
    std::string base = "/tmp";
    const char* runtime = std::getenv("XDG_RUNTIME_DIR");
    if (where == Where::Runtime && runtime != nullptr && runtime[0] == '/' &&
        std::string(runtime).size() <= kLongestBase && ::access(runtime, W_OK | X_OK) == 0) {
        base = runtime;
    }
    std::string pattern = base + "/rankscope-ssh-XXXXXX";
    if (::mkdtemp(pattern.data()) != nullptr) {  // 0700
        path_ = pattern;
    }
}

PrivateFolder::~PrivateFolder() {
    if (path_.empty()) {
        return;
    }
    // ssh removes its socket by itself when it exits on request. libstdc++'s remove_all stops at an entry
    // that has just gone, with the folder left: that is only a reason to look again.
    for (int i = 0; i < kMostRemovals; ++i) {
        std::error_code error;
        std::filesystem::remove_all(path_, error);
        if (error != std::errc::no_such_file_or_directory && error != std::errc::directory_not_empty) {
            return;
        }
    }
}

}  // namespace rankscope
