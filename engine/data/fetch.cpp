// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <engine/data/fetch.h>

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <optional>
#include <sstream>
#include <system_error>
#include <thread>
#include <vector>

namespace rankscope::engine {
namespace {

namespace fs = std::filesystem;

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

std::string last_line(const fs::path& file) {
    std::ifstream in(file);
    std::string last;
    for (std::string line; std::getline(in, line);) {
        last = line.empty() ? last : line;
    }
    return last;
}

/// Starts the command with its messages going into `log`; 0 and *why when it cannot be started.
pid_t start(std::vector<std::string>& command, const std::string& log, std::string* why) {
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
    posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, log.c_str(), O_WRONLY | O_CREAT | O_TRUNC,
                                     0600);
    // The worker blocks SIGTERM for its own signal thread; a child must not inherit that.
    posix_spawnattr_t attributes;
    posix_spawnattr_init(&attributes);
    sigset_t none;
    sigemptyset(&none);
    posix_spawnattr_setsigmask(&attributes, &none);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK);
    std::vector<char*> arguments;
    for (std::string& word : command) {
        arguments.push_back(word.data());
    }
    arguments.push_back(nullptr);
    pid_t child = 0;
    const int failed =
        posix_spawn(&child, command[0].c_str(), &actions, &attributes, arguments.data(), environ);
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&actions);
    if (failed != 0) {
        *why = command[0] + " cannot be started: " + std::generic_category().message(failed);
        return 0;
    }
    return child;
}

}  // namespace

std::string fetch(const std::string& url, const fs::path& target,
                  const std::function<void(std::uint64_t bytes)>& progress) {
    std::vector<std::string> command = command_for(url, target.string());
    if (command.empty()) {
        return "this node has neither curl nor wget";
    }
    const fs::path log = target.string() + ".log";
    std::string why;
    const pid_t child = start(command, log.string(), &why);
    if (child == 0) {
        return why;
    }
    int status = 0;
    std::error_code failed;
    for (pid_t ended = 0; ended == 0;) {
        ended = waitpid(child, &status, WNOHANG);
        if (ended < 0 && errno == EINTR) {
            ended = 0;
        }
        if (ended == 0) {
            const auto bytes = fs::file_size(target, failed);
            progress(failed ? 0 : bytes);
            std::this_thread::sleep_for(std::chrono::milliseconds(100));
        }
    }
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) {
        why = last_line(log);
        if (why.empty()) {
            why = command[0] + " failed with status " + std::to_string(status);
        }
    }
    fs::remove(log, failed);
    return why;
}

}  // namespace rankscope::engine
