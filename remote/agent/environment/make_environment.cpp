// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <base/fd.h>
#include <base/files.h>
#include <base/paths.h>
#include <base/run_program.h>
#include <base/sha256.h>
#include <base/text.h>
#include <base/utf8.h>
#include <remote/agent/environment/installed_packages.h>
#include <remote/agent/environment/make_environment.h>
#include <remote/agent/environment/node_python.h>
#include <remote/agent/node/agent_failure.h>
#include <remote/agent/node/ask_program.h>

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <filesystem>
#include <optional>
#include <span>
#include <string_view>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

namespace rankscope::agent {
namespace {

namespace fs = std::filesystem;
using Words = std::vector<std::string>;

constexpr double kMakesWithin = 7200;
constexpr double kQuickAnswer = 10;
constexpr std::chrono::milliseconds kLookAgain{200};
constexpr std::size_t kKeyDigits = 16;
constexpr const char* kComplete = "complete";

// How pip and uv say that they reach no index, in lower case.
constexpr std::array<std::string_view, 12> kNoIndex{"name resolution",     "name or service not known",
                                                    "connection refused",  "network is unreachable",
                                                    "no route to host",    "connecttimeout",
                                                    "newconnectionerror",  "connection timed out",
                                                    "operation timed out", "dns error",
                                                    "tcp connect error",   "proxyerror"};

class FileLock {
public:
    /// Waits for others who make the same one. Nothing held: stopped, or errno.
    FileLock(const fs::path& file, const std::stop_token& stop)
        : fd_(::open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600)) {
        while (fd_ && ::flock(fd_.get(), LOCK_EX | LOCK_NB) != 0) {
            if (errno != EWOULDBLOCK || stop.stop_requested()) {
                fd_.reset();
                return;
            }
            std::this_thread::sleep_for(kLookAgain);
        }
    }
    bool held() const { return static_cast<bool>(fd_); }

private:
    UniqueFd fd_;
};

class EnvironmentMaker {
public:
    EnvironmentMaker(const NodePaths& paths, const wire::MakeEnvironment& request,
                     const std::stop_token& stop)
        : paths_(paths), request_(request), stop_(stop) {}

    wire::EnvironmentState run();

private:
    std::string key() const;
    void find_uv();
    bool take_complete();
    std::optional<AgentFailure> write_files() const;
    std::optional<AgentFailure> make();
    std::optional<AgentFailure> carry_out(const Words& command);
    AgentFailure failed(const std::string& said);
    Words install_command() const;
    std::string requested() const;
    fs::path log() const { return place_.string() + ".log"; }
    fs::path source() const { return place_ / "source"; }

    const NodePaths& paths_;
    const wire::MakeEnvironment& request_;
    const std::stop_token& stop_;
    NodePython python_;
    std::string uv_;  ///< empty: there is none
    fs::path place_;
    wire::EnvironmentState state_;
};

std::string EnvironmentMaker::requested() const {
    std::string text;
    for (const auto& file : request_.files()) {
        text += file.text();
    }
    return text;
}

std::string EnvironmentMaker::key() const {
    Sha256 hash;
    const auto add = [&hash](const std::string& text) {
        const std::string piece = std::to_string(text.size()) + ':' + text;
        hash.update(std::as_bytes(std::span(piece.data(), piece.size())));
    };
    for (const auto& text : {python_.version, python_.executable, python_.machine}) {
        add(text);
    }
    for (const auto& file : request_.files()) {
        add(file.name());
        add(file.text());
    }
    return to_hex(hash.finish()).substr(0, kKeyDigits);
}

// That of the user, where a login shell finds it or its installers put it; else the desk's.
void EnvironmentMaker::find_uv() {
    const std::array<std::string, 4> places{"uv", (home_dir() / ".local/bin/uv").string(),
                                            (home_dir() / ".cargo/bin/uv").string(),
                                            (paths_.packages() / "uv").string()};
    for (const auto& place : places) {
        if (ask_program({.argv = {place, "--version"}, .seconds = kQuickAnswer}, stop_).good()) {
            uv_ = place;
            return;
        }
    }
}

// "content packages".
bool EnvironmentMaker::take_complete() {
    const auto text = read_file(place_ / kComplete);
    if (!text || ::access((place_ / "bin/python").c_str(), X_OK) != 0) {
        return false;
    }
    const auto words = split(trimmed(*text), ' ');
    state_.set_folder(place_.string());
    state_.set_content(std::string(words[0]));
    state_.set_packages(words.size() > 1 ? parse_number<std::uint32_t>(words[1]).value_or(0) : 0);
    return true;
}

// Without an index the options that name one are of no use, and old versions of pip would ask it all the same.
std::string without_indexes(const std::string& text) {
    std::string kept;
    for (const auto line : split(text, '\n')) {
        const bool names_index = line.starts_with("--index-url") || line.starts_with("--extra-index-url") ||
                                 line.starts_with("--find-links") || line.starts_with("-i ") ||
                                 line.starts_with("-f ");
        if (!names_index) {
            kept += line;
            kept += '\n';
        }
    }
    return kept;
}

std::optional<AgentFailure> EnvironmentMaker::write_files() const {
    for (const auto& file : request_.files()) {
        const int error = write_file_atomically(
            source() / file.name(), request_.pushed_packages() ? without_indexes(file.text()) : file.text());
        if (error != 0) {
            return failure_from_errno(error, (source() / file.name()).string());
        }
    }
    return std::nullopt;
}

Words EnvironmentMaker::install_command() const {
    const std::string python = (place_ / "bin/python").string();
    const std::string file = (source() / request_.files(0).name()).string();
    Words command = uv_.empty()
                        ? Words{python,
                                "-m",
                                "pip",
                                "install",
                                "--disable-pip-version-check",
                                "--no-input",
                                "--progress-bar",
                                "off",
                                "--retries",
                                "1",
                                "--timeout",
                                "20"}
                        : Words{uv_, "pip", "install", "--python", python,
                                // Every version is pinned by its hash: which index has it does not matter.
                                "--index-strategy", "unsafe-best-match"};
    if (request_.pushed_packages()) {
        for (const auto& word :
             {std::string("--no-index"), std::string("--find-links"), paths_.packages().string()}) {
            command.push_back(word);
        }
    }
    command.emplace_back("-r");
    command.push_back(file);
    return command;
}

AgentFailure EnvironmentMaker::failed(const std::string& said) {
    const std::string lower = lower_case(said);
    state_.set_index_unreachable(
        !request_.pushed_packages() &&
        std::any_of(kNoIndex.begin(), kNoIndex.end(),
                    [&lower](std::string_view sign) { return lower.find(sign) != std::string::npos; }));
    if (lower.find("no space left") != std::string::npos ||
        lower.find("quota exceeded") != std::string::npos) {
        return {.code = "disk-full", .detail = place_.string()};
    }
    return {
        .code = "environment-failed", .detail = as_utf8(error_lines(said)), .args = {request_.packages_of()}};
}

// Its output is a file: a look shows its last line meanwhile. After a stop it has ended: what it made can be removed.
std::optional<AgentFailure> EnvironmentMaker::carry_out(const Words& command) {
    Words words{"sh", "-c", R"(log=$1; shift; exec "$@" >>"$log" 2>&1 </dev/null)", "sh", log().string()};
    words.insert(words.end(), command.begin(), command.end());
    const auto answer = run_program(words, {.seconds = kMakesWithin,
                                            .stop = stop_,
                                            .environment = {{"UV_HTTP_TIMEOUT", "60"},
                                                            {"UV_HTTP_RETRIES", "1"},
                                                            {"PYTHONNOUSERSITE", "1"},
                                                            {"LC_ALL", "C.UTF-8"}}});
    if (answer.good()) {
        return std::nullopt;
    }
    return stop_.stop_requested() ? AgentFailure{"cancelled"} : failed(read_file(log()).value_or(""));
}

std::optional<AgentFailure> EnvironmentMaker::make() {
    std::error_code ignored;
    fs::remove_all(place_, ignored);  // of an attempt that did not end
    fs::remove(log(), ignored);
    if (uv_.empty() && !python_.makes_environments) {
        return AgentFailure{"no-environment-tool",
                            python_.executable + " has no ensurepip, and there is no uv"};
    }
    const Words venv =
        uv_.empty() ? Words{python_.executable, "-m", "venv", place_.string()}
                    : Words{uv_, "venv", "--no-project", "--python", python_.executable, place_.string()};
    if (auto failure = carry_out(venv)) {
        return failure;
    }
    if (auto failure = write_files()) {
        return failure;
    }
    if (auto failure = carry_out(install_command())) {
        return failure;
    }
    const auto installed = installed_packages(place_, requested());
    const int error = write_file_atomically(place_ / kComplete,
                                            installed.content + ' ' + std::to_string(installed.count) + '\n');
    return error == 0 ? std::nullopt
                      : std::optional(failure_from_errno(error, (place_ / kComplete).string()));
}

wire::EnvironmentState EnvironmentMaker::run() {
    const auto fail = [this](const AgentFailure& failure) {
        *state_.mutable_failure() = to_wire(failure);
        return state_;
    };
    const bool named = std::all_of(request_.files().begin(), request_.files().end(),
                                   [](const auto& file) { return is_safe_name(file.name()); });
    if (request_.files().empty() || !named) {
        return fail({"bad-request", "files of an environment"});
    }
    std::string why;
    auto python = find_node_python(request_.python(), stop_, why);
    if (!python) {
        return fail({.code = "environment-failed", .detail = why, .args = {request_.packages_of()}});
    }
    python_ = std::move(*python);
    state_.set_python(python_.version);
    state_.set_machine(python_.machine);
    state_.set_glibc_minor(python_.glibc_minor);
    place_ = paths_.environments() / key();
    if (take_complete()) {
        return state_;
    }
    if (const auto text = read_file(log()); request_.look() && text) {  // it is being made
        const auto said = trimmed(*text);
        state_.set_progress(as_utf8(std::string(said.substr(said.rfind('\n') + 1))));
        return state_;
    }
    find_uv();
    state_.set_has_uv(!uv_.empty());
    if (request_.look()) {
        return state_;
    }
    std::error_code error;
    fs::create_directories(place_.parent_path(), error);
    const FileLock lock(place_.string() + ".lock", stop_);
    if (!lock.held()) {
        return fail(stop_.stop_requested() ? AgentFailure{"cancelled"}
                                           : failure_from_errno(errno, place_.string() + ".lock"));
    }
    if (take_complete()) {
        return state_;
    }
    const auto failure = make();
    std::error_code ignored;
    fs::remove(log(), ignored);
    if (failure) {
        fs::remove_all(place_, ignored);
        return fail(*failure);
    }
    take_complete();
    state_.set_made(true);
    return state_;
}

}  // namespace

wire::EnvironmentState make_environment(const NodePaths& paths, const wire::MakeEnvironment& request,
                                        const std::stop_token& stop) {
    return EnvironmentMaker(paths, request, stop).run();
}

}  // namespace rankscope::agent
