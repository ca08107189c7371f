// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <base/text.h>
#include <remote/desk/nodes/session/version_names.h>
#include <remote/desk/shared/text.h>

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

namespace rankscope::inline nodes {
namespace {

constexpr const char* kContext = "VersionNames";

// By the request's interpreter; the same with ".system" is the node's own.
constexpr std::array<std::pair<const char*, const char*>, 7> kLibraries{{{"cuda", "CUDA"},
                                                                         {"cudnn", "cuDNN"},
                                                                         {"environment", "Environment"},
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

std::string libraries_text(const NodeFacts& facts) {
    std::vector<std::string> all;
    for (const auto& [name, value] : facts.versions) {
        if (const std::string label = version_label(name); !label.empty()) {
            all.push_back(label + ' ' + value);
        }
    }
    return joined(all);
}

std::vector<std::string> version_lines(const std::map<std::string, NodeFacts>& facts) {
    std::vector<std::pair<std::string, std::vector<std::string>>> groups;  // libraries → nodes
    for (const auto& [node, known] : facts) {
        std::string libraries = libraries_text(known);
        if (libraries.empty()) {
            continue;
        }
        const auto same = std::find_if(groups.begin(), groups.end(),
                                       [&libraries](const auto& group) { return group.first == libraries; });
        if (same != groups.end()) {
            same->second.push_back(node);
        } else {
            groups.emplace_back(std::move(libraries), std::vector<std::string>{node});
        }
    }
    std::vector<std::string> lines;
    for (const auto& [libraries, nodes] : groups) {
        lines.push_back(groups.size() == 1
                            ? text(kContext, "Versions: %1", {libraries})
                            : text(kContext, "Versions on %1: %2", {joined(nodes), libraries}));
    }
    return lines;
}

}  // namespace rankscope::inline nodes
