// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <gui/notify/desktop_notification.h>
#include <gui/strings.h>

#include <QCoreApplication>
#include <QDBusConnection>
#include <QDBusError>
#include <QDBusMessage>
#include <QVariantMap>
#include <atomic>

namespace rankscope::gui {

namespace {

struct Words {
    Q_DECLARE_TR_FUNCTIONS(DesktopNotification)
};

constexpr int kPatienceMs = 3000;
constexpr int kAsTheDesktop = -1;
constexpr qsizetype kLongestText = 500;

Failure failure_of(const QString& detail) {
    return {
        "no-answer", "", ss(Words::tr("The desktop does not show notifications.")),
        ss(Words::tr("Start a notification service, or switch desktop notifications off in the settings.")),
        ss(detail)};
}

}  // namespace

Result<void> show_notification(const DesktopNotification& notification) {
    // A connection of its own: of one that several threads share, Qt reads the last error without a lock while its own
    // thread replaces it, and one thread's end disconnects the others.
    static std::atomic<unsigned> calls{0};
    const QString name = u"rankscope-notification-%1"_s.arg(calls++);
    Result<void> result;
    {
        const QDBusConnection bus = QDBusConnection::connectToBus(QDBusConnection::SessionBus, name);
        if (!bus.isConnected()) {
            result = failure_of(bus.lastError().message());
        } else {
            QDBusMessage call = QDBusMessage::createMethodCall(
                u"org.freedesktop.Notifications"_s, u"/org/freedesktop/Notifications"_s,
                u"org.freedesktop.Notifications"_s, u"Notify"_s);
            QVariantMap hints{{u"urgency"_s, QVariant::fromValue(uchar(notification.urgent ? 2 : 1))},
                              {u"desktop-entry"_s, u"rankscope"_s}};
            if (notification.sound) {
                hints[u"sound-name"_s] = notification.urgent ? u"dialog-error"_s : u"complete"_s;
            }
            // The text is markup there.
            call << u"Rankscope"_s << uint(0) << u"rankscope"_s << notification.title.left(kLongestText)
                 << notification.text.left(kLongestText).toHtmlEscaped() << QStringList() << hints
                 << kAsTheDesktop;
            const QDBusMessage answer = bus.call(call, QDBus::Block, kPatienceMs);
            if (answer.type() == QDBusMessage::ErrorMessage) {
                result = failure_of(answer.errorMessage());
            }
        }
    }
    QDBusConnection::disconnectFromBus(name);
    return result;
}

}  // namespace rankscope::gui
