// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <base/text.h>
#include <base/utf8.h>
#include <remote/agent/container/container_failure.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cstring>
#include <string_view>

namespace rankscope::agent {
namespace {

struct Sign {
    const char* code;
    std::string_view words;  ///< in lower case
};

// In the order of their meaning: "permission denied" is said of a socket of the daemon, of a device, and of a folder.
constexpr std::array kSigns{
    Sign{"container-denied", "docker daemon"},
    Sign{"container-denied", "docker.sock"},
    Sign{"container-denied", "newuidmap"},
    Sign{"container-denied", "no subuid ranges"},
    Sign{"container-gpu", "could not select device driver"},
    Sign{"container-gpu", "unresolvable cdi devices"},
    Sign{"container-gpu", "nvidia.com/gpu"},
    Sign{"container-gpu", "nvidia-container-cli"},
    Sign{"container-gpu", "nvidia-container-runtime"},
    Sign{"no-container", "no such container"},
    Sign{"no-container", "is not running"},
    Sign{"no-container", "container state improper"},
    Sign{"no-container", "no instance found"},
    Sign{"no-container", "no container with name"},
    Sign{"no-container-image", "image not known"},
    Sign{"no-container-image", "no such image"},
    Sign{"no-container-image", "unable to find image"},
    Sign{"no-container-image", "did not resolve to an alias"},
    Sign{"no-container-image", "manifest unknown"},
    Sign{"no-container-image", "repository does not exist"},
    Sign{"no-container-image", "could not open image"},
    Sign{"no-container-image", "no such file or directory: "},  // enroot's order of words
    Sign{"container-folder", "statfs"},
    Sign{"container-folder", "mount source"},
    Sign{"container-folder", "bind source path does not exist"},
    Sign{"container-folder", "rankscope-agent"},
};

// The last line says why, but for hints at a manual and lines of a log.
std::string last_line(const std::string& said) {
    std::string last;
    for (const auto line : split(said, '\n')) {
        const auto text = trimmed(line);
        if (text.starts_with("Usage:")) {
            break;
        }
        const bool noise = text.empty() || text.starts_with("See '") || text.starts_with("Run '") ||
                           text.starts_with("time=");
        if (!noise || last.empty()) {
            last = std::string(text);
        }
    }
    return as_utf8(last);
}

AgentFailure failure_of(const wire::Container& container, const char* code, std::string detail) {
    return {.code = code,
            .detail = std::move(detail),
            .args = {container.runtime(), container.image().empty() ? container.name() : container.image()}};
}

}  // namespace

AgentFailure container_failure(const wire::Container& container, const std::string& said) {
    std::string lower = said;
    std::transform(lower.begin(), lower.end(), lower.begin(),
                   [](unsigned char c) { return static_cast<char>(c < 128 ? std::tolower(c) : c); });
    const auto* sign = std::find_if(kSigns.begin(), kSigns.end(), [&lower](const Sign& entry) {
        return lower.find(entry.words) != std::string::npos;
    });
    return failure_of(container, sign != kSigns.end() ? sign->code : "container-start", last_line(said));
}

AgentFailure no_container_runtime(const wire::Container& container, int error) {
    auto failure =
        failure_of(container, "no-container-runtime", container.runtime() + ": " + std::strerror(error));
    failure.error = error;
    return failure;
}

}  // namespace rankscope::agent
