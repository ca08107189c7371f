// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <base/child_process.h>
#include <remote/desk/jobs/launch_lines/shell_words.h>
#include <remote/desk/runs/notify/alert_command.h>
#include <remote/desk/shared/text.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <thread>

namespace rankscope::inline runs {
namespace {

constexpr const char* kContext = "AlertCommand";
constexpr auto kLookEvery = std::chrono::milliseconds(20);
constexpr auto kLastPatience = std::chrono::seconds(2);
constexpr std::size_t kLongestText = 2000;

Failure fault(const std::string& what, const std::string& remedy, const std::string& detail = {}) {
    return {"bad-command-line", "", what, remedy, detail};
}

/// No line breaks or zero bytes: a variable is one line.
std::string one_line(std::string text) {
    text.resize(std::min(text.size(), kLongestText));
    for (char& c : text) {
        c = static_cast<unsigned char>(c) < ' ' ? ' ' : c;
    }
    return text;
}

}  // namespace

std::map<std::string, std::string> alert_environment(const Alert& alert, const std::string& run_id,
                                                     const std::string& run_name) {
    return {{"RANKSCOPE_ALERT", to_string(alert.kind)},
            {"RANKSCOPE_ALERT_TITLE", one_line(alert.title)},
            {"RANKSCOPE_ALERT_TEXT", one_line(alert.text)},
            {"RANKSCOPE_ALERT_RUN", run_id},
            {"RANKSCOPE_ALERT_NAME", one_line(run_name)},
            {"RANKSCOPE_ALERT_RANK", alert.rank < 0 ? std::string() : std::to_string(alert.rank)},
            {"RANKSCOPE_ALERT_STEP", alert.step < 0 ? std::string() : std::to_string(alert.step)}};
}

Result<std::vector<std::string>> alert_command_words(const std::string& line) {
    const ShellText parsed = split_shell_text(line);
    const std::string remedy =
        text(kContext, "Write a program and its arguments, or put what a shell shall do into a script.");
    if (!parsed.problem.empty()) {
        return fault(parsed.problem, remedy);
    }
    if (parsed.commands.empty()) {
        return std::vector<std::string>();
    }
    const WrittenCommand& command = parsed.commands.front();
    if (parsed.commands.size() > 1 || !command.ended_by.empty()) {
        return fault(text(kContext, "The command is more than one: it is not run by a shell."), remedy);
    }
    if (!command.unfilled.empty()) {
        return fault(
            text(kContext, "\"%1\" needs a shell: it is not run by one.", {command.unfilled.front()}),
            remedy);
    }
    if (!command.redirections.empty()) {
        return fault(
            text(kContext, "\"%1\" needs a shell: it is not run by one.", {command.redirections.front()}),
            remedy);
    }
    return command.words;
}

Result<void> run_alert_command(const std::vector<std::string>& argv,
                               const std::map<std::string, std::string>& environment, int limit_ms,
                               const std::stop_token& stop) {
    if (argv.empty()) {
        return {};
    }
    ChildProcess::Options options;
    options.own_session = true;
    options.environment = environment;
    auto child = ChildProcess::start(argv, options);
    if (!child) {
        return fault(text(kContext, "The notification command \"%1\" cannot be started.", {argv.front()}),
                     text(kContext, "Check its name and its permissions."), std::strerror(errno));
    }
    auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds(limit_ms);
    bool hurried = false;
    while (!child->has_ended()) {
        if (stop.stop_requested() && !hurried) {
            hurried = true;
            end = std::min(end, std::chrono::steady_clock::now() + kLastPatience);
        }
        if (std::chrono::steady_clock::now() > end) {
            child->kill();
            return fault(
                text(kContext, "The notification command \"%1\" has not ended within %2 s; it was killed.",
                     {argv.front(), std::to_string(limit_ms / 1000)}),
                text(kContext, "Start what takes longer in the background."));
        }
        std::this_thread::sleep_for(kLookEvery);
    }
    const auto status = child->status();
    if (!status || *status != 0) {
        return fault(text(kContext, "The notification command \"%1\" failed.", {argv.front()}),
                     text(kContext, "Run it in a terminal to see why."),
                     status ? "exit code " + std::to_string(*status) : "ended by a signal");
    }
    return {};
}

}  // namespace rankscope::inline runs
