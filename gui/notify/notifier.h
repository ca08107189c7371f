// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <gui/data/event_queue.h>
#include <gui/notify/desktop_notification.h>
#include <gui/settings/settings.h>
#include <remote/desk/runs/notify/run_alerts.h>

#include <QObject>
#include <QPointer>
#include <QThreadPool>
#include <atomic>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <stop_token>
#include <string>
#include <vector>

namespace rankscope::gui {

/// Watches the run of this window and reports what its user wants to hear of: on the desktop, by a sound, by a
/// command. What takes time runs on threads of its own.
class Notifier : public QObject {
    Q_OBJECT

public:
    /// How a notification reaches the desktop; tests put their own.
    using Show = std::function<Result<void>(const DesktopNotification&)>;

    explicit Notifier(QObject* parent, Show show = show_notification);
    ~Notifier() override;

    void set_settings(const NotificationSettings& settings);
    /// Another run: what was reported of the last one does not count.
    void begin(const std::string& run_id, const std::string& name);
    void apply(const std::vector<QueuedItem>& items);
    /// As if this had happened: for a test from the settings. What fails then is reported again.
    void report(const Alert& alert);

signals:
    void reported(const rankscope::Alert& alert);
    /// A way of notifying does not work. Of a run's alerts the same failure is reported once.
    void failed(const rankscope::Failure& failure);

private:
    void deliver(const Alert& alert);
    void take_failure(const Failure& failure);
    static void send_failure(const QPointer<Notifier>& notifier, const Failure& failure);
    void run_command(const Alert& alert);
    void show_on_desktop(const Alert& alert);

    Show show_;
    NotificationSettings settings_;
    std::string run_id_;
    std::string name_;
    std::optional<RunAlerts> alerts_;
    std::set<std::string> known_failures_;  ///< what they say
    std::stop_source stop_;
    std::shared_ptr<std::atomic<int>> waiting_ = std::make_shared<std::atomic<int>>(0);
    QThreadPool pool_;
};

}  // namespace rankscope::gui
