// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <remote/desk/nodes/session/version_names.h>
#include <remote/desk/shared/text.h>

#include <array>
#include <string_view>
#include <utility>

namespace rankscope::inline nodes {
namespace {

constexpr const char* kContext = "VersionNames";

// By the request's interpreter; the same with ".system" is the node's own.
constexpr std::array<std::pair<const char*, const char*>, 6> kLibraries{{{"cuda", "CUDA"},
                                                                         {"cudnn", "cuDNN"},
                                                                         {"hip", "HIP"},
                                                                         {"nccl", "NCCL"},
                                                                         {"python", "Python"},
                                                                         {"torch", "PyTorch"}}};
constexpr std::size_t kLongest = 128;  // agents send at most 64
constexpr std::string_view kOfSystem = ".system";

}  // namespace

std::map<std::string, std::string> library_versions(const wire::HostInspection& host) {
    std::map<std::string, std::string> versions;
    for (const auto& version : host.versions()) {
        if (!version.value().empty() && version.value().size() <= kLongest &&
            !version_label(version.name()).empty()) {
            versions.emplace(version.name(), version.value());
        }
    }
    return versions;
}

std::string version_label(const std::string& name) {
    if (name == "driver") {
        return text(kContext, "NVIDIA driver");
    }
    const bool of_system = name.ends_with(kOfSystem);
    const std::string_view library =
        std::string_view(name).substr(0, name.size() - (of_system ? kOfSystem.size() : 0));
    for (const auto& [known, label] : kLibraries) {
        if (library == known) {
            return of_system ? text(kContext, "%1 of the system", {label}) : label;
        }
    }
    return {};
}

}  // namespace rankscope::inline nodes
