// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <gui/background_job.h>
#include <gui/session/prompter_bridge.h>

#include <tests/gui/gui_test.h>

#include <QDialog>
#include <QLineEdit>
#include <QPushButton>
#include <QTableWidget>
#include <atomic>
#include <thread>

namespace rankscope::gui::testing {
namespace {

TEST(BackgroundJob, WorksElsewhereAndDeliversHere) {
    QThreadPool pool;
    QObject context;
    BackgroundJob job(&context, &pool);
    std::thread::id worker;
    int result = 0;
    job.start(
        [&](const JobHandle&) {
            worker = std::this_thread::get_id();
            return 42;
        },
        [&](int value) {
            result = value;
            EXPECT_FALSE(job.running());
        });
    EXPECT_TRUE(job.running());
    ASSERT_TRUE(wait_until([&] { return result == 42; }));
    EXPECT_NE(worker, std::this_thread::get_id());
}

TEST(BackgroundJob, ANewStartDropsTheOldResult) {
    QThreadPool pool;
    QObject context;
    BackgroundJob job(&context, &pool);
    std::atomic<bool> first_began = false;
    std::atomic<bool> first_stopped = false;
    std::vector<int> results;
    job.start(
        [&](const JobHandle& handle) {
            first_began = true;
            while (!handle.cancelled()) {
                std::this_thread::yield();
            }
            handle.post([&] { results.push_back(-1); });
            first_stopped = true;
            return 1;
        },
        [&](int value) { results.push_back(value); });
    ASSERT_TRUE(wait_until([&] { return first_began.load(); }));
    job.start([](const JobHandle&) { return 2; }, [&](int value) { results.push_back(value); });
    ASSERT_TRUE(wait_until([&] { return first_stopped && !results.empty(); }));
    pool.waitForDone();
    QCoreApplication::processEvents();
    EXPECT_EQ(results, std::vector<int>{2});
}

TEST(BackgroundJob, NothingArrivesAfterItsEnd) {
    QThreadPool pool;
    QObject context;
    bool arrived = false;
    {
        BackgroundJob job(&context, &pool);
        job.start([](const JobHandle&) { return 1; }, [&](int) { arrived = true; });
        pool.waitForDone();
    }
    QCoreApplication::processEvents();
    EXPECT_FALSE(arrived);
}

HostKeyQuestion question(const std::string& node) {
    return {node, "10.0.0.1", 22, "ssh-ed25519", "SHA256:" + node};
}

TEST(PrompterBridge, OneDialogForAllQuestionsAndOnlyTickedKeysAreTrusted) {
    QWidget window;
    PrompterBridge bridge(&window);
    const Prompter ask = bridge.prompter();
    std::atomic<int> first = -1;
    std::atomic<int> second = -1;
    std::jthread a([&] { first = ask.accept_host_key(question("node1")) ? 1 : 0; });
    std::jthread b([&] { second = ask.accept_host_key(question("node2")) ? 1 : 0; });
    QTableWidget* table = nullptr;
    ASSERT_TRUE(wait_until([&] {
        table = window.findChild<QTableWidget*>(u"hostKeyTable"_s);
        return table && table->rowCount() == 2;
    }));
    auto* dialog = window.findChild<QDialog*>(u"hostKeyDialog"_s);
    auto* reject = dialog->findChild<QPushButton*>(u"hostKeyReject"_s);
    EXPECT_TRUE(reject->isDefault()) << "Enter must not trust anything";
    const int unticked = table->item(0, 0)->text() == u"node1"_s ? 0 : 1;
    table->item(unticked, 0)->setCheckState(Qt::Unchecked);
    auto* accept = dialog->findChild<QPushButton*>(u"hostKeyAccept"_s);
    ASSERT_TRUE(wait_until([&] { return accept->isEnabled(); })) << "answers are ignored for a moment";
    click(accept);
    ASSERT_TRUE(wait_until([&] { return first >= 0 && second >= 0; }));
    EXPECT_EQ(first, 0);
    EXPECT_EQ(second, 1);
}

TEST(PrompterBridge, SecretsComeBackAndCancelIsNothing) {
    QWidget window;
    PrompterBridge bridge(&window);
    const Prompter ask = bridge.prompter();
    for (const bool accept : {true, false}) {
        std::optional<std::string> secret = "unset";
        std::atomic<bool> answered = false;
        std::jthread thread([&] {
            secret = ask.secret({"node1", "trainer@node1", "", false, 1});
            answered = true;
        });
        QDialog* dialog = nullptr;
        ASSERT_TRUE(wait_until([&] {
            dialog = window.findChild<QDialog*>(u"secretDialog"_s);
            return dialog != nullptr && dialog->isVisible();
        }));
        auto* edit = dialog->findChild<QLineEdit*>(u"secretEdit"_s);
        EXPECT_EQ(edit->echoMode(), QLineEdit::Password);
        QTest::keyClicks(edit, u"open sesame"_s);
        // Answers are ignored for a moment after the dialog appears.
        ASSERT_TRUE(wait_until([&] {
            auto* shown = window.findChild<QDialog*>(u"secretDialog"_s);
            if (shown == nullptr || !shown->isVisible()) {
                return true;
            }
            accept ? shown->accept() : shown->reject();
            return false;
        }));
        ASSERT_TRUE(wait_until([&] { return answered.load(); }));
        EXPECT_EQ(secret, accept ? std::optional<std::string>("open sesame") : std::nullopt);
        ASSERT_TRUE(wait_until([&] { return !window.findChild<QDialog*>(u"secretDialog"_s); }));
    }
}

TEST(PrompterBridge, ClosingAnswersNoToAllQuestions) {
    QWidget window;
    auto bridge = std::make_unique<PrompterBridge>(&window);
    const Prompter ask = bridge->prompter();
    std::atomic<int> answers = 0;
    std::jthread a([&] { answers += ask.accept_host_key(question("node1")) ? 100 : 1; });
    std::jthread b([&] { answers += ask.secret({"node1", "me@node1", "", true, 1}) ? 100 : 1; });
    ASSERT_TRUE(wait_until([&] { return window.findChild<QDialog*>(u"hostKeyDialog"_s) != nullptr; }));
    bridge->shut_down();
    ASSERT_TRUE(wait_until([&] { return answers == 2; }));
    EXPECT_FALSE(ask.accept_host_key(question("node3"))) << "does not wait";
    bridge.reset();
    EXPECT_FALSE(ask.accept_host_key(question("node4"))) << "nor afterwards";
}

}  // namespace
}  // namespace rankscope::gui::testing
