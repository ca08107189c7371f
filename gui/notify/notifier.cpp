// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <gui/notify/notifier.h>
#include <gui/on_thread.h>
#include <gui/pool_task.h>
#include <gui/strings.h>
#include <remote/desk/runs/notify/alert_command.h>

#include <QApplication>
#include <utility>

namespace rankscope::gui {

namespace {

constexpr int kCommandLimitMs = 30000;
constexpr int kThreads = 2;
constexpr int kMostWaiting = 20;  ///< a command that hangs must not collect others

bool is_bad(AlertKind kind) {
    return kind == AlertKind::Failed || kind == AlertKind::Hang || kind == AlertKind::NotFinite;
}

}  // namespace

Notifier::Notifier(QObject* parent, Show show) : QObject(parent), show_(std::move(show)) {
    pool_.setMaxThreadCount(kThreads);
}

Notifier::~Notifier() {
    stop_.request_stop();
    pool_.clear();
}

// On the thread of a notifier that may be gone.
void Notifier::send_failure(const QPointer<Notifier>& notifier, const Failure& failure) {
    QMetaObject::invokeMethod(
        QCoreApplication::instance(),
        [notifier, failure] {
            if (notifier) {
                notifier->take_failure(failure);
            }
        },
        Qt::QueuedConnection);
}

void Notifier::take_failure(const Failure& failure) {
    if (known_failures_.insert(failure.what).second) {
        emit failed(failure);
    }
}

void Notifier::set_settings(const NotificationSettings& settings) {
    settings_ = settings;
    known_failures_.clear();
    if (alerts_) {
        alerts_->set_options(settings_.alerts);
    }
}

void Notifier::begin(const std::string& run_id, const std::string& name) {
    RANKSCOPE_CHECK(on_thread_of(this), return );
    run_id_ = run_id;
    name_ = name;
    alerts_.emplace(settings_.alerts, name);
}

void Notifier::apply(const std::vector<QueuedItem>& items) {
    RANKSCOPE_CHECK(on_thread_of(this), return );
    if (!alerts_) {
        return;
    }
    for (const QueuedItem& item : items) {
        if (const auto* event = std::get_if<Event>(&item)) {
            for (const Alert& alert : alerts_->apply(*event)) {
                deliver(alert);
            }
        }
    }
}

void Notifier::report(const Alert& alert) {
    known_failures_.clear();
    deliver(alert);
}

void Notifier::deliver(const Alert& alert) {
    emit reported(alert);
    if (settings_.sound) {
        QApplication::beep();
    }
    if (settings_.desktop) {
        show_on_desktop(alert);
    }
    if (!settings_.command.isEmpty()) {
        run_command(alert);
    }
}

void Notifier::show_on_desktop(const Alert& alert) {
    PoolTask::start(&pool_, [show = show_, self = QPointer<Notifier>(this),
                             notification = DesktopNotification{qs(alert.title), qs(alert.text),
                                                                is_bad(alert.kind), settings_.sound}] {
        if (const auto shown = show(notification); !shown) {
            send_failure(self, shown.failure());
        }
    });
}

void Notifier::run_command(const Alert& alert) {
    const auto words = alert_command_words(ss(settings_.command));
    if (!words) {
        take_failure(words.failure());
        return;
    }
    if (waiting_->load() >= kMostWaiting) {
        return;
    }
    ++*waiting_;
    PoolTask::start(&pool_, [argv = *words, environment = alert_environment(alert, run_id_, name_),
                             waiting = waiting_, stop = stop_.get_token(), self = QPointer<Notifier>(this)] {
        const auto ended = run_alert_command(argv, environment, kCommandLimitMs, stop);
        --*waiting;
        if (!ended) {
            send_failure(self, ended.failure());
        }
    });
}

}  // namespace rankscope::gui
