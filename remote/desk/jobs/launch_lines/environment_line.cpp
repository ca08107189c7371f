// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <base/text.h>
#include <remote/desk/jobs/launch_lines/environment_line.h>
#include <remote/desk/shared/text.h>

#include <system_error>

namespace rankscope::inline jobs::launch_lines {
namespace {

namespace fs = std::filesystem;

constexpr const char* kContext = "LaunchLines";

// As uv looks for it: in the folder and in those above.
fs::path lock_near(const fs::path& folder) {
    std::error_code error;
    for (fs::path place = fs::absolute(folder, error).lexically_normal(); !error && !place.empty();
         place = place.parent_path()) {
        std::error_code ignored;
        if (fs::is_regular_file(place / "uv.lock", ignored)) {
            return place / "uv.lock";
        }
        if (place == place.root_path()) {
            break;
        }
    }
    return {};
}

std::vector<std::string> extras_of(const std::vector<std::string_view>& words) {
    constexpr std::string_view kJoined = "--extra=";
    std::vector<std::string> extras;
    for (std::size_t i = 0; i < words.size(); ++i) {
        if (words[i] == "--extra" && i + 1 < words.size()) {
            extras.emplace_back(words[i + 1]);
        } else if (words[i].starts_with(kJoined)) {
            extras.emplace_back(words[i].substr(kJoined.size()));
        }
    }
    return extras;
}

}  // namespace

bool take_uv_environment(const std::string& wrapper, const std::vector<fs::path>& folders, PastedLine& line) {
    const auto words = split(wrapper, ' ');
    if (words.size() < 2 || words[0] != "uv" || words[1] != "run") {
        return false;
    }
    for (const auto& folder : folders) {
        if (const auto lock = lock_near(folder); !lock.empty()) {
            line.job.environment.uv = lock.string();
            line.job.environment.extras = extras_of(words);
            line.notes.push_back(
                text(kContext, "%1: each node makes the environment of %2.", {wrapper, lock.string()}));
            return true;
        }
    }
    return false;
}

}  // namespace rankscope::inline jobs::launch_lines
