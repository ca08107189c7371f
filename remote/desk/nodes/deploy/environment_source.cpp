// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <base/paths.h>
#include <base/sha256.h>
#include <remote/desk/nodes/deploy/artifacts.h>
#include <remote/desk/nodes/deploy/environment_source.h>
#include <remote/desk/shared/text.h>

#include <algorithm>
#include <chrono>
#include <system_error>
#include <utility>

namespace rankscope::inline nodes {
namespace {

namespace fs = std::filesystem;

constexpr const char* kContext = "EnvironmentSource";
constexpr const char* kFolderPrefix = "wheels-";
constexpr std::chrono::hours kForgottenAfter{48};

Result<UserTree> all_files_of(const fs::path& folder, const std::stop_token& stop) {
    std::vector<std::string> names;
    std::error_code error;
    for (const auto& entry : fs::directory_iterator(folder, error)) {
        names.push_back(entry.path().filename().string());
    }
    std::sort(names.begin(), names.end());
    return collect_user_tree(folder / "none", names, stop, [](std::uint64_t) {});
}

// Of programs that were killed.
void remove_forgotten() {
    std::error_code error;
    for (const auto& entry : fs::directory_iterator(user_cache_dir(), error)) {
        std::error_code ignored;
        const bool old = fs::file_time_type::clock::now() - entry.last_write_time(ignored) > kForgottenAfter;
        if (old && !ignored && entry.path().filename().string().starts_with(kFolderPrefix)) {
            fs::remove_all(entry.path(), ignored);
        }
    }
}

}  // namespace

EnvironmentSource::~EnvironmentSource() {
    std::error_code ignored;
    if (!folder_.empty()) {
        fs::remove_all(folder_, ignored);
    }
}

const Result<PythonRequirements>& EnvironmentSource::requirements(const std::stop_token& stop) {
    const std::lock_guard lock(mutex_);
    if (!requirements_) {
        requirements_ = read_requirements(source_, stop);
    }
    return *requirements_;
}

const Result<UserTree>& EnvironmentSource::wheels(
    const PythonTarget& target, const std::stop_token& stop,
    const std::function<void(const std::string& line)>& progress) {
    const std::lock_guard lock(mutex_);
    const auto known = wheels_.find(target);
    return known != wheels_.end() ? known->second
                                  : wheels_.emplace(target, get_wheels(target, stop, progress)).first->second;
}

Result<UserTree> EnvironmentSource::get_wheels(const PythonTarget& target, const std::stop_token& stop,
                                               const std::function<void(const std::string& line)>& progress) {
    if (folder_.empty()) {
        remove_forgotten();
        folder_ = user_cache_dir() / (kFolderPrefix + random_token().substr(0, 16));
    }
    const fs::path place = folder_ / (target.machine + '-' + target.version);
    std::error_code error;
    fs::create_directories(place / "wheels", error);
    if (error) {
        return Failure{"cannot-write", place.string(),
                       text(kContext, "%1 cannot be made: %2.", {place.string(), error.message()}),
                       text(kContext, "Check its folder and the free space."), ""};
    }
    if (auto done = download_wheels(*requirements_.value(), target, place, stop, progress); !done) {
        return done.failure();
    }
    return all_files_of(place / "wheels", stop);
}

std::optional<UserTree> EnvironmentSource::uv_for(const std::string& machine) const {
    const fs::path uv = find_uv();
    if (uv.empty() || machine != own_machine()) {
        return std::nullopt;
    }
    auto tree = collect_user_tree(uv.parent_path() / "none", {"uv"}, {}, [](std::uint64_t) {});
    return tree ? std::optional(std::move(*tree)) : std::nullopt;
}

}  // namespace rankscope::inline nodes
