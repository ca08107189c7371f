// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <remote/desk/runs/notify/run_alerts.h>

#include <CLI/CLI.hpp>

#include <condition_variable>
#include <deque>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace rankscope::ctl {

/// `--notify-command` and `--notify-when` of a command that watches a run.
struct NotifyOptions {
    std::string command;
    std::vector<std::string> rules;
};
void add_notify_options(CLI::App& command, NotifyOptions& notify);

/// Starts the user's command for what happens in a run, on a thread of its own. Its end waits for the commands that
/// have begun. event(): one thread at a time.
class AlertSender {
public:
    /// What is wrong with the options, or nothing.
    static Result<void> check(const NotifyOptions& notify);

    AlertSender(const NotifyOptions& notify, const std::string& run_name);
    ~AlertSender();
    AlertSender(const AlertSender&) = delete;
    AlertSender& operator=(const AlertSender&) = delete;

    void set_run(const std::string& run_id);
    /// What happened before the command began to watch: rules count it, and nothing is started.
    void past(const Event& event);
    void event(const Event& event);

private:
    void send();

    std::vector<std::string> argv_;
    std::string run_name_;
    RunAlerts alerts_;
    std::mutex mutex_;
    std::condition_variable changed_;
    std::string run_id_;
    std::deque<Alert> waiting_;
    bool ending_ = false;
    std::jthread thread_;
};

}  // namespace rankscope::ctl
