// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <base/files.h>
#include <base/text.h>
#include <remote/agent/ras/loaded_nccl.h>

#include <algorithm>
#include <cctype>

namespace rankscope::agent {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kLibrary = "libnccl.so.";
constexpr std::string_view kPackage = "nvidia_nccl_";  // nvidia_nccl_cu12-2.27.5.dist-info

bool is_version(std::string_view text) {
    return std::count(text.begin(), text.end(), '.') >= 2 &&
           std::all_of(text.begin(), text.end(),
                       [](unsigned char letter) { return std::isdigit(letter) != 0 || letter == '.'; });
}

}  // namespace

std::string nccl_library_in(std::string_view maps) {
    for (const auto line : split(maps, '\n')) {
        const auto path = line.find('/');
        const auto name = path == std::string_view::npos ? path : line.rfind('/');
        if (name != std::string_view::npos && line.substr(name + 1).starts_with(kLibrary)) {
            return std::string(line.substr(path));
        }
    }
    return {};
}

std::string nccl_version_of(const fs::path& library) {
    std::error_code error;
    const fs::path file = fs::canonical(library, error);
    const std::string name = (error ? library : file).filename().string();
    if (name.size() > kLibrary.size() && is_version(std::string_view(name).substr(kLibrary.size()))) {
        return name.substr(kLibrary.size());
    }
    // site-packages/nvidia/nccl/lib/libnccl.so.2
    const fs::path packages = library.parent_path().parent_path().parent_path().parent_path();
    for (fs::directory_iterator entry(packages, error), end; !error && entry != end; entry.increment(error)) {
        const std::string folder = entry->path().filename().string();
        const auto dash = folder.find('-');
        if (folder.starts_with(kPackage) && dash != std::string::npos && folder.ends_with(".dist-info")) {
            auto version = folder.substr(dash + 1, folder.rfind(".dist-info") - dash - 1);
            if (is_version(version)) {
                return version;
            }
        }
    }
    return {};
}

std::string loaded_nccl_version(pid_t pid) {
    const std::string process = "/proc/" + std::to_string(pid);
    const auto library = nccl_library_in(read_file(process + "/maps").value_or(std::string()));
    // As the process sees it: it may be in a container.
    return library.empty() ? std::string() : nccl_version_of(process + "/root" + library);
}

}  // namespace rankscope::agent
