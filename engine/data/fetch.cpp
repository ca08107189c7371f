// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <base/child_process.h>
#include <base/wait_fd.h>
#include <engine/data/fetch.h>

#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdlib>
#include <optional>
#include <sstream>
#include <system_error>
#include <vector>

namespace rankscope::engine {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMaxMessages = 65536;
constexpr double kBetweenReports = 0.1;

std::optional<std::string> find_program(const std::string& name) {
    const char* path = std::getenv("PATH");
    std::istringstream folders(path != nullptr ? path : "/usr/local/bin:/usr/bin:/bin");
    for (std::string folder; std::getline(folders, folder, ':');) {
        const std::string candidate = folder + "/" + name;
        if (!folder.empty() && access(candidate.c_str(), X_OK) == 0) {
            return candidate;
        }
    }
    return std::nullopt;
}

std::vector<std::string> command_for(const std::string& url, const std::string& target) {
    if (const auto curl = find_program("curl")) {
        return {*curl,        "--fail",
                "--silent",   "--show-error",
                "--location", "--connect-timeout",
                "10",         "--speed-limit",
                "1000",       "--speed-time",
                "20",         "--output",
                target,       url};
    }
    if (const auto wget = find_program("wget")) {
        return {*wget, "--no-verbose", "--tries=1", "--timeout=20", "-O", target, url};
    }
    return {};
}

/// Adds what the program has complained of since the last call; keeps its end.
void read_messages(ChildProcess& child, std::string& messages) {
    std::array<char, 4096> bytes{};
    for (;;) {
        const auto got = child.error() ? read(child.error().get(), bytes.data(), bytes.size()) : 0;
        if (got > 0) {
            messages.append(bytes.data(), static_cast<std::size_t>(got));
            messages.erase(0, messages.size() > kMaxMessages ? messages.size() - kMaxMessages : 0);
        } else if (got == 0 || errno != EINTR) {
            return;
        }
    }
}

std::string last_line(const std::string& text) {
    std::string last;
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) {
        last = line.empty() ? last : line;
    }
    return last;
}

}  // namespace

std::string fetch(const std::string& url, const fs::path& target,
                  const std::function<void(std::uint64_t bytes)>& progress) {
    const std::vector<std::string> command = command_for(url, target.string());
    if (command.empty()) {
        return "this node has neither curl nor wget";
    }
    auto child = ChildProcess::start(command, {.error = ChildProcess::Stream::Pipe});
    if (!child) {
        return command[0] + " cannot be started: " + std::generic_category().message(errno);
    }
    std::string messages;
    while (!child->has_ended()) {
        std::error_code failed;
        const auto bytes = fs::file_size(target, failed);
        progress(failed ? 0 : bytes);
        read_messages(*child, messages);
        sleep_s(kBetweenReports);
    }
    read_messages(*child, messages);
    if (child->status() == 0) {
        return {};
    }
    const std::string why = last_line(messages);
    if (!why.empty()) {
        return why;
    }
    return command[0] + (child->status() ? " failed with status " + std::to_string(*child->status())
                                         : std::string(" was killed"));
}

}  // namespace rankscope::engine
