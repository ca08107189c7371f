// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <base/files.h>
#include <base/nccl_plugin_variables.h>
#include <remote/agent/nccl/nccl_evidence.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <optional>
#include <system_error>

namespace rankscope::agent {
namespace {

namespace fs = std::filesystem;

constexpr int kFirstWithPlugins = 22300;
// A communicator is made with the first collective at the latest: after the data are loaded and the model is there.
constexpr double kWorkingLongEnoughS = 60;
constexpr double kLongEnoughS = 300;

// "2.21.5" of the front of a text.
int parse_version(std::string_view text) {
    int parts[3] = {0, 0, 0};
    for (int i = 0; i < 3; ++i) {
        const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), parts[i]);
        if (error != std::errc() || parts[i] < 0 || parts[i] > 99) {
            return 0;
        }
        text.remove_prefix(static_cast<std::size_t>(end - text.data()));
        if (i < 2 && !text.starts_with('.')) {
            return 0;
        }
        text.remove_prefix(i < 2 ? 1 : 0);
    }
    return parts[0] * 10000 + parts[1] * 100 + parts[2];
}

// Of site-packages, where nvidia/nccl/lib/libnccl.so.2 lies beside nvidia_nccl_cu12-2.21.5.dist-info.
int python_package_version(const fs::path& site) {
    std::error_code error;
    for (fs::directory_iterator it(site, error), end; !error && it != end; it.increment(error)) {
        const std::string name = it->path().filename().string();
        if (name.starts_with("nvidia_nccl_") && name.ends_with(".dist-info")) {
            const auto dash = name.find('-');
            return dash == std::string::npos ? 0 : parse_version(std::string_view(name).substr(dash + 1));
        }
    }
    return 0;
}

bool has_gpu_open(pid_t pid) {
    std::error_code error;
    for (fs::directory_iterator it("/proc/" + std::to_string(pid) + "/fd", error), end; !error && it != end;
         it.increment(error)) {
        std::error_code ignored;
        const std::string target = fs::read_symlink(it->path(), ignored).string();
        if (target.starts_with("/dev/nvidia") && !target.starts_with("/dev/nvidia-")) {
            return true;
        }
    }
    return false;
}

}  // namespace

void read_maps(std::string_view maps, NcclEvidence& evidence) {
    while (!maps.empty()) {
        const std::size_t end = std::min(maps.find('\n'), maps.size());
        const std::string_view line = maps.substr(0, end);
        maps.remove_prefix(std::min(end + 1, maps.size()));
        const std::size_t path_at = line.find('/');
        if (path_at == std::string_view::npos) {
            continue;
        }
        const std::string_view path = line.substr(path_at);
        const std::string_view name = path.substr(path.rfind('/') + 1);
        if (name.starts_with("libnccl.so")) {
            evidence.library = std::string(path);
        } else if (name.starts_with(kNcclPluginFile)) {
            evidence.plugin = true;
        } else if (name.starts_with("libtorch_cuda")) {
            evidence.torch_cuda = true;
        }
    }
}

NcclEvidence nccl_evidence(const std::vector<pid_t>& processes) {
    NcclEvidence evidence;
    for (const pid_t pid : processes) {
        read_maps(read_file("/proc/" + std::to_string(pid) + "/maps").value_or(""), evidence);
        evidence.gpu = evidence.gpu || has_gpu_open(pid);
    }
    return evidence;
}

int nccl_version_of(const std::string& library) {
    const fs::path path(library);
    const std::string name = path.filename().string();
    constexpr std::string_view kName = "libnccl.so.";
    const int of_name =
        name.starts_with(kName) ? parse_version(std::string_view(name).substr(kName.size())) : 0;
    return of_name != 0
               ? of_name
               : python_package_version(path.parent_path().parent_path().parent_path().parent_path());
}

std::string why_unobserved(const NcclEvidence& evidence, int nccl_version, const Unobserved& rank) {
    if (evidence.plugin) {
        return rank.ring_unreadable || rank.age_s >= kLongEnoughS ? "ring-unreadable" : "";
    }
    const bool communicates = rank.world_size > 1 && evidence.gpu;
    if (communicates && nccl_version != 0 && nccl_version < kFirstWithPlugins) {
        return "nccl-too-old";
    }
    const bool at_work = rank.age_s >= kLongEnoughS || (rank.working && rank.age_s >= kWorkingLongEnoughS);
    if (!at_work) {
        return "";
    }
    if (communicates) {
        if (!evidence.library.empty()) {
            return "not-loaded";
        }
        if (evidence.torch_cuda) {
            return "statically-linked";
        }
    }
    return rank.explicitly && evidence.library.empty() && !evidence.torch_cuda ? "no-nccl" : "";
}

}  // namespace rankscope::agent
