// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <remote/ctl/alert_sender.h>
#include <remote/ctl/options.h>
#include <remote/desk/runs/notify/alert_command.h>
#include <remote/desk/runs/notify/plateau_rule.h>

#include <cstdio>
#include <utility>

namespace rankscope::ctl {
namespace {

constexpr int kLimitMs = 30000;
constexpr std::size_t kMostWaiting = 100;

AlertOptions alert_options(const NotifyOptions& notify) {
    AlertOptions options;
    for (const std::string& line : notify.rules) {
        if (is_plateau_rule(line)) {
            (void)add_plateau(line, options);  // checked before
        } else if (const auto rule = parse_alert_rule(line)) {
            options.rules.push_back(*rule);
        }
    }
    if (!options.rules.empty()) {
        options.kinds.insert(AlertKind::Rule);
    }
    return options;
}

}  // namespace

void add_notify_options(CLI::App& command, NotifyOptions& notify) {
    auto* program =
        command.add_option("--notify-command", notify.command,
                           "Start this for the end, a failure, a hang and NaN; without a shell, with "
                           "RANKSCOPE_ALERT, RANKSCOPE_ALERT_TITLE and others in its environment");
    command
        .add_option("--notify-when", notify.rules,
                    "And when this holds: \"loss > 10 for 50 steps\", or for a plateau: \"plateau\", "
                    "\"plateau of loss "
                    "for 500 steps\"; may be repeated")
        ->allow_extra_args(false)
        ->needs(program);
}

Result<void> AlertSender::check(const NotifyOptions& notify) {
    const auto words = alert_command_words(notify.command);
    if (!words) {
        return words.failure();
    }
    for (const std::string& line : notify.rules) {
        AlertOptions unused;
        const Result<void> plateau = is_plateau_rule(line) ? add_plateau(line, unused) : Result<void>();
        const auto rule = is_plateau_rule(line) ? Result<AlertRule>(AlertRule()) : parse_alert_rule(line);
        if (!plateau || !rule) {
            Failure failure = plateau ? rule.failure() : plateau.failure();
            failure.where = "--notify-when";
            return failure;
        }
    }
    return {};
}

AlertSender::AlertSender(const NotifyOptions& notify, const std::string& run_name)
    : run_name_(run_name), alerts_(alert_options(notify), run_name) {
    if (auto words = alert_command_words(notify.command)) {
        argv_ = std::move(*words);
    }
    if (!argv_.empty()) {
        thread_ = std::jthread([this] { send(); });
    }
}

AlertSender::~AlertSender() {
    const std::lock_guard lock(mutex_);
    ending_ = true;
    changed_.notify_all();
}

void AlertSender::set_run(const std::string& run_id) {
    const std::lock_guard lock(mutex_);
    run_id_ = run_id;
}

void AlertSender::past(const Event& event) {
    if (!argv_.empty()) {
        alerts_.apply(event);
    }
}

void AlertSender::event(const Event& event) {
    if (argv_.empty()) {
        return;
    }
    for (Alert& alert : alerts_.apply(event)) {
        const std::lock_guard lock(mutex_);
        if (waiting_.size() < kMostWaiting) {
            waiting_.push_back(std::move(alert));
            changed_.notify_all();
        }
    }
}

void AlertSender::send() {
    std::unique_lock lock(mutex_);
    for (;;) {
        changed_.wait(lock, [this] { return ending_ || !waiting_.empty(); });
        if (waiting_.empty()) {
            return;
        }
        const Alert alert = std::move(waiting_.front());
        waiting_.pop_front();
        const auto environment = alert_environment(alert, run_id_, run_name_);
        lock.unlock();
        if (const auto sent = run_alert_command(argv_, environment, kLimitMs); !sent) {
            std::fprintf(stderr, "%s\n", to_line(sent.failure()).c_str());
        }
        lock.lock();
    }
}

}  // namespace rankscope::ctl
