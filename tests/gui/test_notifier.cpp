// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

// Notifications, the sign on Live's button, and the first start.

#include <gui/app/main_window.h>
#include <gui/live/live_page.h>
#include <gui/logs/logs_page.h>
#include <gui/models/fleet_model.h>
#include <gui/notify/desktop_notification.h>
#include <gui/notify/notifier.h>
#include <gui/style/look.h>
#include <gui/widgets/focus_ring.h>
#include <gui/widgets/page_button.h>

#include <tests/gui/pages_fixture.h>

#include <QCheckBox>
#include <QDBusConnection>
#include <QDBusMessage>
#include <QDBusVirtualObject>
#include <QFile>
#include <QItemSelectionModel>
#include <QLineEdit>
#include <QListWidget>
#include <QMenu>
#include <QPlainTextEdit>
#include <QProcess>
#include <QSettings>
#include <QTableView>
#include <QTableWidget>
#include <atomic>
#include <limits>
#include <mutex>
#include <thread>

namespace rankscope::gui::testing {
namespace {

/// What was shown on a desktop that always works.
struct Desktop {
    std::mutex mutex;
    QStringList titles;

    Notifier::Show show() {
        return [this](const DesktopNotification& notification) -> Result<void> {
            const std::lock_guard lock(mutex);
            titles += notification.title;
            return {};
        };
    }
    qsizetype count() {
        const std::lock_guard lock(mutex);
        return titles.size();
    }
};

std::vector<QueuedItem> nan_and_end() {
    EndEvent end;
    end.outcome = Outcome::Failed;
    end.detail = "rank 2 ended";
    const double nan = std::numeric_limits<double>::quiet_NaN();
    return {Event{1, 1, "node1", 2, MetricEvent{5, -1, {{"loss", nan}}, {}}}, Event{1, 2, "", -1, end}};
}

TEST(NotifierTest, ReportsOnTheDesktopAndByTheCommand) {
    const QTemporaryDir folder;
    const QString file = folder.filePath(u"seen"_s);
    Desktop desktop;
    Notifier notifier(nullptr, desktop.show());
    NotificationSettings settings;
    settings.command =
        u"sh -c 'printf \"%s;\" \"$RANKSCOPE_ALERT-$RANKSCOPE_ALERT_RUN\" >> \"$0\"' "_s + file;
    notifier.set_settings(settings);
    std::vector<Alert> alerts;
    QObject::connect(&notifier, &Notifier::reported, &notifier,
                     [&](const Alert& alert) { alerts.push_back(alert); });
    notifier.apply(nan_and_end());
    EXPECT_TRUE(alerts.empty()) << "no run has begun";
    notifier.begin("run-1", "mnist");
    notifier.apply(nan_and_end());
    ASSERT_EQ(alerts.size(), 2U);
    EXPECT_EQ(alerts[0].kind, AlertKind::NotFinite);
    EXPECT_EQ(alerts[1].title, "mnist failed.");
    EXPECT_TRUE(wait_until([&] { return desktop.count() == 2; }));
    const auto seen = [&] {
        QFile read(file);
        return read.open(QIODevice::ReadOnly) ? QString::fromUtf8(read.readAll()) : QString();
    };
    EXPECT_TRUE(wait_until([&] {
        return seen().contains(u"failed-run-1;"_s) && seen().contains(u"nan-run-1;"_s);
    })) << ss(seen());
}

/// A desktop that keeps what it is asked to show.
class NotificationService : public QDBusVirtualObject {
public:
    QString introspect(const QString&) const override { return {}; }
    bool handleMessage(const QDBusMessage& message, const QDBusConnection& bus) override {
        texts += message.arguments().value(4).toString();
        bus.send(message.createReply(uint(1)));
        return true;
    }
    QStringList texts;
};

// The text of a notification is markup: a run, a rank or a node could bring a link or a picture.
TEST(NotifierTest, NoNameIsMarkupOfTheDesktop) {
    QProcess daemon;
    daemon.start(u"dbus-daemon"_s, {u"--session"_s, u"--nofork"_s, u"--print-address"_s});
    if (!daemon.waitForStarted() || !daemon.waitForReadyRead()) {
        GTEST_SKIP() << "there is no dbus-daemon";
    }
    const QByteArray before = qgetenv("DBUS_SESSION_BUS_ADDRESS");
    qputenv("DBUS_SESSION_BUS_ADDRESS", daemon.readAllStandardOutput().trimmed());
    NotificationService service;
    {
        auto bus = QDBusConnection::connectToBus(QDBusConnection::SessionBus, u"test-desktop"_s);
        ASSERT_TRUE(bus.registerVirtualObject(u"/org/freedesktop/Notifications"_s, &service));
        ASSERT_TRUE(bus.registerService(u"org.freedesktop.Notifications"_s));
        std::atomic<bool> sent = false;
        std::thread sender([&sent] {
            EXPECT_TRUE(show_notification(
                {.title = u"t"_s, .text = u"<a href=\"file:///x\"><img src=\"http://x/y\"/>&"_s}));
            sent = true;
        });
        EXPECT_TRUE(wait_until([&] { return sent.load(); }));
        sender.join();
        EXPECT_EQ(service.texts,
                  QStringList{
                      u"&lt;a href=&quot;file:///x&quot;&gt;&lt;img src=&quot;http://x/y&quot;/&gt;&amp;"_s});
    }
    QDBusConnection::disconnectFromBus(u"test-desktop"_s);
    qputenv("DBUS_SESSION_BUS_ADDRESS", before);
    daemon.kill();
    daemon.waitForFinished();
}

TEST(NotifierTest, AWayThatFailsIsReported) {
    Notifier notifier(nullptr, [](const DesktopNotification&) -> Result<void> {
        return Failure{"no-answer", "", "The desktop does not answer.", "", ""};
    });
    NotificationSettings settings;
    settings.command = u"/no/such/program"_s;
    notifier.set_settings(settings);
    QStringList failures;
    QObject::connect(&notifier, &Notifier::failed, &notifier,
                     [&](const Failure& failure) { failures += qs(failure.what); });
    notifier.report({});
    EXPECT_TRUE(wait_until([&] { return failures.size() == 2; }));
    EXPECT_TRUE(failures.join(u' ').contains(u"/no/such/program"_s));
}

TEST(NotifierTest, SeveralRunsShowAtOnceWithoutABus) {
    const QByteArray bus = qgetenv("DBUS_SESSION_BUS_ADDRESS");
    qputenv("DBUS_SESSION_BUS_ADDRESS", "unix:path=/nonexistent");
    std::atomic<int> failed{0};
    std::vector<std::jthread> runs;
    for (int run = 0; run < 4; ++run) {
        runs.emplace_back([&failed] {
            for (int i = 0; i < 20; ++i) {
                failed += show_notification({u"Run failed"_s, u"rank 2 ended"_s, true, false}) ? 0 : 1;
            }
        });
    }
    runs.clear();
    EXPECT_EQ(failed, 80);
    bus.isNull() ? qunsetenv("DBUS_SESSION_BUS_ADDRESS") : qputenv("DBUS_SESSION_BUS_ADDRESS", bus);
}

TEST(NotifierTest, TheSameFailureIsReportedOnceForRuns) {
    std::atomic<int> tried = 0;
    Notifier notifier(nullptr, [&](const DesktopNotification&) -> Result<void> {
        ++tried;
        return Failure{"no-answer", "", "The desktop does not show notifications.", "", ""};
    });
    notifier.set_settings({});
    int failures = 0;
    QObject::connect(&notifier, &Notifier::failed, &notifier, [&] { ++failures; });
    for (const char* run : {"run-1", "run-2"}) {
        notifier.begin(run, "mnist");
        notifier.apply(nan_and_end());
    }
    ASSERT_TRUE(wait_until([&] { return tried == 4 && failures > 0; }));
    notifier.report({});
    EXPECT_TRUE(wait_until([&] { return failures == 2; })) << "the user asks for a test";
    notifier.begin("run-3", "mnist");
    notifier.apply(nan_and_end());
    ASSERT_TRUE(wait_until([&] { return tried == 7; }));
    QTest::qWait(0);
    EXPECT_EQ(failures, 2);
}

TEST(NotifierTest, AHangingCommandDoesNotHoldTheWindow) {
    QElapsedTimer timer;
    timer.start();
    {
        Notifier notifier(nullptr, [](const DesktopNotification&) { return Result<void>(); });
        NotificationSettings settings;
        settings.command = u"sleep 60"_s;
        notifier.set_settings(settings);
        for (int i = 0; i < 10; ++i) {
            notifier.report({});
        }
    }
    EXPECT_LT(timer.elapsed(), 20000);
}

class Warned : public Pages {
protected:
    void SetUp() override { QSettings().clear(); }
    void TearDown() override {
        window_.reset();
        QSettings().clear();
    }
};

TEST_F(Warned, OfADesktopWithoutNotificationsOnce) {
    const Failure failure{"no-answer", "", "The desktop does not show notifications.", "Start one.", "bus"};
    open();
    auto* message = find<QWidget>("windowMessage");
    for (Notifier* notifier : window_->findChildren<Notifier*>()) {
        emit notifier->failed(failure);
    }
    EXPECT_TRUE(message->isVisible());
    click(find<QPushButton>("windowMessageDismiss"));
    for (Notifier* notifier : window_->findChildren<Notifier*>()) {
        emit notifier->failed(failure);
    }
    EXPECT_FALSE(message->isVisible());
    window_.reset();
    open();
    for (Notifier* notifier : window_->findChildren<Notifier*>()) {
        emit notifier->failed(failure);
    }
    EXPECT_FALSE(find<QWidget>("windowMessage")->isVisible()) << "nor in the next session";
}

class FirstStart : public Pages {
protected:
    void SetUp() override { QSettings().clear(); }
};

TEST_F(FirstStart, StepsStayWithTheirTicksUntilAllAreDone) {
    open();
    auto* steps = find<QWidget>("firstSteps");
    ASSERT_TRUE(wait_until([&] { return steps->isVisible(); }));
    EXPECT_TRUE(find<QLabel>("firstStep2")->text().startsWith(u"2"_s));
    click(find<QPushButton>("firstAdd"));
    QDialog* dialog = wait_dialog("nodeDialog");
    type_into(child<QLineEdit>(dialog, "nodeName"), u"node1"_s);
    click(child<QPushButton>(dialog, "nodeOk"));
    EXPECT_TRUE(wait_until([&] { return find<QLabel>("firstStep2")->text().startsWith(u"✓"_s); }));
    EXPECT_TRUE(steps->isVisible()) << "a run and a look at the node are still to come";
    Fleet* fleet = window_->workspace()->fleet();
    fleet->model()->set_ready("node1", synthetic_facts("node1", 0));
    emit fleet->probesChanged();
    EXPECT_TRUE(find<QLabel>("firstStep3")->text().startsWith(u"✓"_s));
    EXPECT_TRUE(find<QLabel>("firstStep1")->text().startsWith(u"1"_s));
    window_.reset();
    open();
    steps = find<QWidget>("firstSteps");
    EXPECT_TRUE(wait_until([&] { return steps->isVisible(); })) << "also in the next session";
    EXPECT_TRUE(find<QLabel>("firstStep2")->text().startsWith(u"✓"_s));
    click(find<QPushButton>("firstStepsHide"));
    window_.reset();
    open();
    EXPECT_FALSE(find<QWidget>("firstSteps")->isVisible()) << "hidden for good";
}

TEST_F(FirstStart, TheFirstRunStartsWithOneClick) {
    open();
    ASSERT_TRUE(wait_until([&] { return find<QWidget>("firstSteps")->isVisible(); }));
    click(find<QPushButton>("firstRun"));
    ASSERT_TRUE(wait_until([&] { return window_->page() == MainWindow::Page::Live; }))
        << ss(find<QLabel>("startReason")->text());
    const LiveModel* run = window_->live_page()->shown();
    ASSERT_TRUE(wait_until([&] { return !run->empty(); }));
    EXPECT_EQ(run->state().name, "mnist-quickstart");
    for (RunSession* session : window_->workspace()->runs()->live()) {
        session->stop(true);
    }
    EXPECT_TRUE(wait_until([&] { return window_->workspace()->runs()->live().empty(); }, 60000));
}

TEST_F(FirstStart, WhatWasImportedStaysChosenAndIsLedOn) {
    write(inventory_file(), "nodes:\n  - { name: old }\n");
    open();
    auto* table = find<QTableView>("fleetTable");
    ASSERT_TRUE(wait_until([&] { return table->model()->rowCount() == 2; }));
    click(find<QPushButton>("importNodes"));
    QDialog* dialog = wait_dialog("importDialog");
    child<QPlainTextEdit>(dialog, "importText")->setPlainText(u"gpu[1-4]\n"_s);
    auto* add = child<QPushButton>(dialog, "importAdd");
    ASSERT_TRUE(wait_until([&] { return add->isEnabled(); }));
    click(add);
    ASSERT_TRUE(wait_until([&] { return table->model()->rowCount() == 6; }));
    EXPECT_EQ(table->selectionModel()->selectedRows().size(), 4);
    EXPECT_TRUE(find<QWidget>("addedBar")->isVisible());
    EXPECT_TRUE(find<QLabel>("addedText")->text().startsWith(u"4 "_s))
        << ss(find<QLabel>("addedText")->text());
    // A group for all four; they stay chosen after it.
    click(find<QPushButton>("addedGroup"));
    dialog = wait_dialog("batchNodeDialog");
    dialog->accept();
    QCoreApplication::processEvents();
    EXPECT_EQ(table->selectionModel()->selectedRows().size(), 4);
    click(find<QPushButton>("addedKeys"));
    dialog = wait_dialog("keyDialog");
    EXPECT_EQ(child<QTableWidget>(dialog, "keyTable")->rowCount(), 4) << "of those that were added";
    dialog->reject();
    click(find<QPushButton>("addedDismiss"));
    EXPECT_FALSE(find<QWidget>("addedBar")->isVisible());
}

TEST_F(FirstStart, NotForAUserWithRunsAndAgainFromHelp) {
    fill_store({{.id = "a"}});
    open();
    ASSERT_TRUE(wait_until([&] { return !window_->known_runs().empty(); }));
    auto* steps = find<QWidget>("firstSteps");
    EXPECT_FALSE(steps->isVisible());
    window_->findChild<QAction*>(u"help.first_steps"_s)->trigger();
    EXPECT_TRUE(steps->isVisible());
    click(find<QPushButton>("firstStepsHide"));
    EXPECT_FALSE(steps->isVisible());
}

TEST_F(FirstStart, AMachineHasAMenu) {
    open();
    auto* table = find<QTableView>("fleetTable");
    emit table->customContextMenuRequested(table->visualRect(table->model()->index(0, 0)).center());
    auto* menu = find<QMenu>("fleetMenu");
    ASSERT_NE(menu, nullptr);
    EXPECT_GE(menu->actions().size(), 7);
    menu->close();
}

class NotificationSettingsTest : public Pages {
protected:
    void SetUp() override { QSettings().clear(); }
};

TEST_F(NotificationSettingsTest, RulesAreCheckedLineByLine) {
    open();
    window_->show_settings(SettingsPart::Notifications);
    QDialog* dialog = wait_dialog("settingsDialog");
    child<QCheckBox>(dialog, "notifyRules")->setChecked(true);
    auto* rules = child<QPlainTextEdit>(dialog, "notifyRuleLines");
    ASSERT_TRUE(rules->isEnabled());
    rules->setPlainText(u"loss > 10 for 50 steps\nacc1 is 3"_s);
    auto* problem = child<QLabel>(dialog, "notifyRuleLinesError");
    EXPECT_TRUE(problem->text().contains(u"Line 2"_s)) << ss(problem->text());
    const auto& alerts = window_->workspace()->settings()->now().notifications.alerts;
    EXPECT_TRUE(alerts.rules.empty()) << "nothing half right is taken";
    rules->setPlainText(u"loss > 10 for 50 steps\n\nacc1 < 3%"_s);
    EXPECT_TRUE(problem->text().isEmpty());
    ASSERT_EQ(alerts.rules.size(), 2U);
    EXPECT_EQ(read_settings(QSettings()).settings.notifications.alerts, alerts) << "and it is in the file";
    type_into(child<QLineEdit>(dialog, "notifyCommand"), u"notify | sh"_s);
    EXPECT_FALSE(child<QLabel>(dialog, "notifyCommandError")->text().isEmpty());
    EXPECT_EQ(window_->workspace()->settings()->now().notifications.command, u"notify"_s)
        << "the last that was right";
}

TEST_F(FirstStart, LivesButtonShowsHowARunEndedUntilItIsSeen) {
    open();
    window_->show_page(MainWindow::Page::Runs);
    auto* button = find<PageButton>("navLive");
    RunSession* session = window_->workspace()->session();
    session->model()->reset(synthetic_data({.name = "mnist", .until = 0.5, .fate = Fate::Killed}));
    emit session->ended();
    EXPECT_EQ(button->mark(), PageButton::Mark::Failed);
    EXPECT_TRUE(button->accessibleDescription().contains(u"mnist: failed"_s));
    session->model()->reset(synthetic_data({.name = "mnist"}));
    emit session->ended();
    EXPECT_EQ(button->mark(), PageButton::Mark::Done);
    window_->show_page(MainWindow::Page::Live);
    EXPECT_EQ(button->mark(), PageButton::Mark::None);
}

// A view that the program paints shows the keyboard's focus; in high contrast everything does.
TEST_F(FirstStart, TheFocusIsSeen) {
    const FocusRing ring(nullptr);
    auto* app = qobject_cast<QApplication*>(QApplication::instance());
    open();
    window_->activateWindow();
    auto* add = find<QPushButton>("addNode");
    add->setFocus();
    ASSERT_TRUE(wait_until([&] { return add->hasFocus(); }));
    EXPECT_EQ(ring.ringed(), nullptr) << "a button shows it by its style";
    // No frame around a whole page.
    window_->show_page(MainWindow::Page::Logs);
    window_->logs_page()->setFocus();
    EXPECT_NE(ring.ringed(), window_->logs_page());
    window_->show_page(MainWindow::Page::Fleet);
    apply_look(*app, {.theme = LookTheme::HighContrast}, false);
    auto* probe = find<QPushButton>("probeAll");
    probe->setFocus();
    EXPECT_EQ(ring.ringed(), probe);
    apply_look(*app, {.theme = LookTheme::Light}, false);
}

}  // namespace
}  // namespace rankscope::gui::testing
