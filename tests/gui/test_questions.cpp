// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

// The questions of connection threads, answered in real dialogs.

#include <gui/fleet/key_dialog.h>
#include <gui/prompts/host_key_dialog.h>
#include <gui/prompts/secret_dialog.h>
#include <gui/session/prompter_bridge.h>

#include <tests/gui/gui_test.h>

#include <QLineEdit>
#include <QPushButton>
#include <QTableWidget>
#include <future>

namespace rankscope::gui::testing {
namespace {

class Questions : public ::testing::Test {
protected:
    void SetUp() override {
        window_.resize(900, 600);
        window_.show();
        window_.activateWindow();
        ASSERT_TRUE(wait_until([&] { return window_.isActiveWindow(); }));
    }
    void TearDown() override {
        bridge_.shut_down();
        for (auto& thread : threads_) {
            thread.wait();
        }
    }

    std::shared_future<bool> ask_key(int node) {
        const Prompter prompter = bridge_.prompter();
        auto answer = std::async(std::launch::async, [prompter, node] {
                          const std::string name = "n" + std::to_string(node);
                          return prompter.accept_host_key(
                              {name, "10.0.0." + std::to_string(node), 22, "ssh-ed25519", "SHA256:" + name});
                      }).share();
        threads_.push_back(std::async(std::launch::deferred, [answer] { answer.wait(); }));
        return answer;
    }
    std::shared_future<std::optional<std::string>> ask_password(int node) {
        const Prompter prompter = bridge_.prompter();
        auto answer = std::async(std::launch::async, [prompter, node] {
                          const std::string name = "n" + std::to_string(node);
                          return prompter.secret({name, "trainer@" + name, "Password", false, 1});
                      }).share();
        threads_.push_back(std::async(std::launch::deferred, [answer] { answer.wait(); }));
        return answer;
    }

    template <typename Dialog>
    Dialog* shown() {
        auto* dialog = window_.findChild<Dialog*>();
        return dialog && dialog->isVisible() ? dialog : nullptr;
    }
    int dialogs() {
        int count = 0;
        for (QDialog* dialog : window_.findChildren<QDialog*>()) {
            count += dialog->isVisible() ? 1 : 0;
        }
        return count;
    }
    template <typename Future>
    static bool answered(const Future& future) {
        return future.wait_for(std::chrono::seconds(0)) == std::future_status::ready;
    }
    /// Long enough for whatever wrongly appears to appear.
    static void let_appear() {
        QElapsedTimer timer;
        timer.start();
        wait_until([&] { return timer.elapsed() > 400; });
    }

    QWidget window_;
    PrompterBridge bridge_{&window_};
    std::vector<std::future<void>> threads_;
};

TEST_F(Questions, HostKeysAreAskedInOneListBeforeAPasswordThatCameFirst) {
    const auto password = ask_password(9);
    std::vector<std::shared_future<bool>> keys;
    for (int i = 1; i <= 4; ++i) {
        keys.push_back(ask_key(i));
    }
    ASSERT_TRUE(wait_until([&] {
        auto* dialog = shown<HostKeyDialog>();
        return dialog && child<QTableWidget>(dialog, "hostKeyTable")->rowCount() == 4;
    }));
    EXPECT_EQ(dialogs(), 1);
    auto* accept = child<QPushButton>(shown<HostKeyDialog>(), "hostKeyAccept");
    ASSERT_TRUE(wait_until([&] { return accept->isEnabled(); }));
    EXPECT_EQ(accept->text(), u"&Trust 4 selected and connect"_s);
    click(accept);
    for (const auto& key : keys) {
        ASSERT_TRUE(wait_until([&] { return answered(key); }));
        EXPECT_TRUE(key.get());
    }
    ASSERT_TRUE(wait_until([&] { return shown<SecretDialog>() && shown<SecretDialog>()->ready(); }));
    EXPECT_EQ(dialogs(), 1);
    auto* edit = child<QLineEdit>(shown<SecretDialog>(), "secretEdit");
    QTest::keyClicks(edit, u"geheim"_s);
    QTest::keyClick(edit, Qt::Key_Return);
    ASSERT_TRUE(wait_until([&] { return answered(password); }));
    EXPECT_EQ(password.get(), "geheim");
}

TEST_F(Questions, AHalfTypedPasswordKeepsFocusAndItsEnterAnswersNothingElse) {
    const auto password = ask_password(1);
    ASSERT_TRUE(wait_until([&] { return shown<SecretDialog>() && shown<SecretDialog>()->ready(); }));
    auto* edit = child<QLineEdit>(shown<SecretDialog>(), "secretEdit");
    ASSERT_TRUE(wait_until([&] { return edit->hasFocus(); }));
    QTest::keyClicks(QApplication::focusWidget(), u"half"_s);
    const auto key = ask_key(2);
    const auto second = ask_password(3);
    let_appear();
    EXPECT_EQ(dialogs(), 1) << "one question at a time";
    EXPECT_TRUE(edit->hasFocus());
    QTest::keyClicks(QApplication::focusWidget(), u"way"_s);
    QTest::keyClick(QApplication::focusWidget(), Qt::Key_Return);
    ASSERT_TRUE(wait_until([&] { return answered(password); }));
    EXPECT_EQ(password.get(), "halfway");
    EXPECT_FALSE(answered(key));

    // The next question appears under the fingers: keys of the first moment answer nothing.
    ASSERT_TRUE(wait_until([&] { return shown<HostKeyDialog>() != nullptr; }));
    EXPECT_FALSE(shown<SecretDialog>());
    for (const Qt::Key stray : {Qt::Key_Return, Qt::Key_Enter, Qt::Key_Escape}) {
        QTest::keyClick(shown<HostKeyDialog>(), stray);
    }
    click(child<QPushButton>(shown<HostKeyDialog>(), "hostKeyAccept"));
    EXPECT_FALSE(answered(key));
    ASSERT_TRUE(shown<HostKeyDialog>());
    ASSERT_TRUE(wait_until([&] { return shown<HostKeyDialog>()->ready(); }));
    QTest::keyClick(shown<HostKeyDialog>(), Qt::Key_Return);
    ASSERT_TRUE(wait_until([&] { return answered(key); }));
    EXPECT_FALSE(key.get()) << "Enter does not trust";
    ASSERT_TRUE(wait_until([&] { return shown<SecretDialog>() && shown<SecretDialog>()->ready(); }));
    QTest::keyClick(shown<SecretDialog>(), Qt::Key_Escape);
    ASSERT_TRUE(wait_until([&] { return answered(second); }));
    EXPECT_FALSE(second.get());
}

/// Keys as the window system delivers them: to the window that has the focus.
void type(const QString& text) {
    ASSERT_NE(QGuiApplication::focusWindow(), nullptr);
    for (const QChar letter : text) {
        QTest::keyClick(QGuiApplication::focusWindow(), letter.toLatin1());
    }
}

TEST_F(Questions, APasswordWithTheKeyWizardOpenGetsTheKeys) {
    NodeSpec node;
    node.name = node.host = "n1";
    KeyDialog wizard({node}, bridge_.prompter(), &window_);
    wizard.open();
    ASSERT_TRUE(wait_until([&] { return wizard.isActiveWindow(); }));
    // First the host key, as for a new node; the user trusts it, and the window below gets the focus.
    const auto key = ask_key(1);
    ASSERT_TRUE(wait_until([&] { return shown<HostKeyDialog>() && shown<HostKeyDialog>()->ready(); }));
    EXPECT_EQ(shown<HostKeyDialog>()->parentWidget(), &wizard);
    const auto password = ask_password(1);
    click(child<QPushButton>(shown<HostKeyDialog>(), "hostKeyAccept"));
    ASSERT_TRUE(wait_until([&] { return answered(key); }));
    window_.activateWindow();
    ASSERT_TRUE(wait_until([&] { return shown<SecretDialog>() && shown<SecretDialog>()->ready(); }));
    EXPECT_EQ(shown<SecretDialog>()->parentWidget(), &wizard);
    EXPECT_TRUE(wait_until([&] { return shown<SecretDialog>()->isActiveWindow(); }));
    type(u"geheim"_s);
    QTest::keyClick(QGuiApplication::focusWindow(), Qt::Key_Return);
    ASSERT_TRUE(wait_until([&] { return answered(password); }));
    EXPECT_EQ(password.get(), "geheim");
}

TEST_F(Questions, ADialogThatGoesWithItsOwnerAnswersNo) {
    auto owner = std::make_unique<QDialog>(&window_);
    owner->open();
    const auto password = ask_password(1);
    ASSERT_TRUE(wait_until([&] { return shown<SecretDialog>() != nullptr; }));
    owner.reset();
    ASSERT_TRUE(wait_until([&] { return answered(password); }));
    EXPECT_FALSE(password.get());
    const auto key = ask_key(2);
    ASSERT_TRUE(wait_until([&] { return shown<HostKeyDialog>() != nullptr; })) << "the next question comes";
    bridge_.shut_down();
    ASSERT_TRUE(wait_until([&] { return answered(key); }));
}

TEST_F(Questions, AKeyThatJoinsTheOpenListIsNotTrustedByAClickThatCameBefore) {
    const auto first = ask_key(1);
    ASSERT_TRUE(wait_until([&] { return shown<HostKeyDialog>() && shown<HostKeyDialog>()->ready(); }));
    auto* accept = child<QPushButton>(shown<HostKeyDialog>(), "hostKeyAccept");
    ASSERT_TRUE(accept->isEnabled());
    const auto late = ask_key(2);
    ASSERT_TRUE(wait_until(
        [&] { return child<QTableWidget>(shown<HostKeyDialog>(), "hostKeyTable")->rowCount() == 2; }));
    click(accept);
    EXPECT_FALSE(answered(first));
    EXPECT_FALSE(answered(late));
    ASSERT_TRUE(wait_until([&] { return accept->isEnabled(); }));
    child<QTableWidget>(shown<HostKeyDialog>(), "hostKeyTable")->item(1, 0)->setCheckState(Qt::Unchecked);
    click(accept);
    ASSERT_TRUE(wait_until([&] { return answered(first) && answered(late); }));
    EXPECT_TRUE(first.get());
    EXPECT_FALSE(late.get());
}

TEST_F(Questions, AWindowThatClosesAnswersNoToAll) {
    const auto key = ask_key(1);
    ASSERT_TRUE(wait_until([&] { return shown<HostKeyDialog>() != nullptr; }));
    const auto password = ask_password(2);
    bridge_.shut_down();
    ASSERT_TRUE(wait_until([&] { return answered(key) && answered(password); }));
    EXPECT_FALSE(key.get());
    EXPECT_FALSE(password.get());
    EXPECT_EQ(dialogs(), 0);
    EXPECT_FALSE(bridge_.prompter().secret({"n3", "a@b", "Password", false, 1}));
}

}  // namespace
}  // namespace rankscope::gui::testing
