// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <base/fd.h>
#include <base/files.h>
#include <base/paths.h>
#include <base/sha256.h>
#include <base/text.h>
#include <base/utf8.h>
#include <remote/agent/inspection/open_folder.h>
#include <remote/agent/inspection/path_states.h>
#include <remote/agent/node/isolated_look.h>

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <vector>

namespace rankscope::agent {
namespace fs = std::filesystem;
namespace {

constexpr double kPathPatience = 1.5;
constexpr double kQuickPathPatience = 0.2;
constexpr std::uint64_t kLargestHashed = 16U << 20U;
constexpr std::size_t kMostPaths = 64;  // one process each

// Mount points hold blanks as "\040".
std::string unescaped(std::string_view field) {
    std::string text;
    for (std::size_t i = 0; i < field.size(); ++i) {
        const auto digits = field.substr(i + 1, 3);
        const bool octal =
            field[i] == '\\' && digits.size() == 3 &&
            std::all_of(digits.begin(), digits.end(), [](char c) { return c >= '0' && c <= '7'; });
        if (octal) {
            text += static_cast<char>((digits[0] - '0') * 64 + (digits[1] - '0') * 8 + (digits[2] - '0'));
            i += 3;
        } else {
            text += field[i];
        }
    }
    return text;
}

bool lies_below(std::string_view path, std::string_view folder) {
    return folder == "/" ||
           (path.starts_with(folder) && (path.size() == folder.size() || path[folder.size()] == '/'));
}

// The path itself, or the nearest folder above it that exists.
fs::path nearest_existing(const fs::path& path) {
    fs::path place = path;
    struct stat info {};
    while (place.has_parent_path() && place != place.parent_path() && ::stat(place.c_str(), &info) != 0) {
        place = place.parent_path();
    }
    return place;
}

bool may(const fs::path& path, int mode) {
    return ::faccessat(AT_FDCWD, path.c_str(), mode, AT_EACCESS) == 0;
}

// A file without a name goes with its descriptor. Quotas and a lack of inodes show here alone. 0: there is room, or
// the file system has no such files.
int try_to_write(const fs::path& folder) {
    const UniqueFd file(::open(folder.c_str(), O_TMPFILE | O_WRONLY | O_CLOEXEC, 0600));
    if (!file) {
        const bool unsupported = errno == EOPNOTSUPP || errno == EISDIR || errno == EINVAL || errno == ENOENT;
        return unsupported ? 0 : errno;
    }
    constexpr std::array<char, 4096> kPage{};
    return ::write(file.get(), kPage.data(), kPage.size()) < 0 ? errno : 0;
}

void add_file_system(const fs::path& place, wire::PathState& state) {
    struct statvfs system {};
    if (::statvfs(place.c_str(), &system) != 0) {
        return;
    }
    state.set_read_only((system.f_flag & ST_RDONLY) != 0);
    state.set_executable((system.f_flag & ST_NOEXEC) == 0);
    state.set_free_bytes(static_cast<std::uint64_t>(system.f_bavail) * system.f_frsize);
    state.set_total_bytes(static_cast<std::uint64_t>(system.f_blocks) * system.f_frsize);
    state.set_free_inodes(system.f_favail);
    state.set_total_inodes(system.f_files);
}

std::string absolute_path(const std::string& asked) {
    const fs::path expanded = expand_home(asked);
    const fs::path absolute = expanded.is_absolute() ? expanded : home_dir() / expanded;
    std::string text = absolute.lexically_normal().string();
    while (text.size() > 1 && text.back() == '/') {
        text.pop_back();
    }
    return text;
}

}  // namespace

std::string file_system_of(std::string_view mountinfo, std::string_view path) {
    std::string type;
    std::size_t longest = 0;
    for (const auto line : split(mountinfo, '\n')) {
        const auto fields = split(line, ' ');
        const auto dash = std::find(fields.begin(), fields.end(), "-");
        if (fields.size() < 6 || dash == fields.end() || dash + 1 == fields.end()) {
            continue;
        }
        const std::string point = unescaped(fields[4]);
        // A later mount covers an earlier one of the same place.
        if (!point.empty() && lies_below(path, point) && point.size() >= longest) {
            longest = point.size();
            type = as_utf8(std::string(*(dash + 1)));
        }
    }
    return type;
}

wire::PathState path_state(const std::string& resolved) {
    wire::PathState state;
    struct stat info {};
    if (::stat(resolved.c_str(), &info) != 0) {
        state.set_error(errno);
    }
    state.set_exists(state.error() == 0);
    state.set_folder(state.exists() && S_ISDIR(info.st_mode));
    state.set_size(state.exists() && S_ISREG(info.st_mode) ? static_cast<std::uint64_t>(info.st_size) : 0);
    const fs::path place = state.exists() ? fs::path(resolved) : nearest_existing(resolved);
    std::error_code ignored;
    const fs::path real = fs::canonical(place, ignored);
    state.set_resolved(state.exists() && !real.empty() ? real.string() : resolved);
    state.set_file_system(file_system_of(read_file("/proc/self/mountinfo").value_or(std::string()),
                                         real.empty() ? resolved : real.string()));
    add_file_system(place, state);
    state.set_readable(state.exists() && may(place, R_OK));
    if (state.size() > 0 && state.size() <= kLargestHashed) {
        if (const auto digest = sha256_of_file(resolved)) {
            state.set_sha256(digest->data(), digest->size());
        }
    }
    if (state.exists()) {
        if (auto open = open_folder(state.resolved())) {
            *state.mutable_open() = *std::move(open);
        }
    }
    const bool is_place_a_folder = !state.exists() || state.folder();
    state.set_writable(may(place, is_place_a_folder ? W_OK | X_OK : W_OK));
    // A folder's own right to be executed is the right to pass it.
    state.set_executable(state.executable() && may(place, X_OK));
    if (state.writable() && is_place_a_folder) {
        state.set_write_error(try_to_write(place));
    }
    return state;
}

wire::HostInspection inspect_paths(const InspectionScope& scope) {
    wire::HostInspection found;
    std::vector<std::string> asked{"/dev/shm", home_dir().string(), scope.paths.root().string()};
    asked.insert(asked.end(), scope.request.paths().begin(), scope.request.paths().end());
    if (asked.size() > kMostPaths) {
        asked.resize(kMostPaths);
        add_unseen(found, "paths", "only the first 64 paths are looked at");
    }
    const double patience = scope.patience(kPathPatience, kQuickPathPatience);
    std::vector<IsolatedLook> looks;
    looks.reserve(asked.size());
    for (const auto& path : asked) {
        looks.emplace_back(
            [resolved = absolute_path(path)] { return path_state(resolved).SerializeAsString(); }, patience);
    }
    const std::string mounts = read_file("/proc/self/mountinfo").value_or(std::string());
    for (std::size_t i = 0; i < asked.size(); ++i) {
        auto* state = found.add_paths();
        const auto bytes = looks[i].wait(scope.stop);
        if (!bytes || !state->ParseFromString(*bytes)) {
            const int error = looks[i].start_error();
            state->Clear();
            state->set_late(error == 0);
            state->set_error(error);
            state->set_resolved(absolute_path(asked[i]));
            state->set_file_system(file_system_of(mounts, state->resolved()));
            add_unseen(found, "paths." + asked[i],
                       error == 0 ? late_text(patience)
                                  : std::string("no process can be started: ") + std::strerror(error));
        }
        state->set_path(asked[i]);
    }
    return found;
}

}  // namespace rankscope::agent
