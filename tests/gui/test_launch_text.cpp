// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

// Form and text of the Launch page, driven by clicks and keys.

#include <gui/launch/job_text_edit.h>
#include <gui/launch/launch_page.h>
#include <gui/widgets/notice_bar.h>

#include <tests/gui/pages_fixture.h>

#include <QAbstractItemView>
#include <QCompleter>
#include <QFile>
#include <QLineEdit>
#include <QTabWidget>
#include <QTextBlock>
#include <QToolButton>

namespace rankscope::gui::testing {
namespace {

constexpr const char* kJob =
    "# Of the lab.\n"
    "name: one\n"
    "nodes: [local]  # here\n"
    "master_port: 0\n"
    "\n"
    "train:\n"
    "  model: convnet\n"
    "  dataset: { name: mnist }\n"
    "  epochs: 3   # few\n";

class LaunchText : public Pages {
protected:
    void open_text(const std::string& yaml) {
        const QString job = folder_.path() + u"/job.yaml"_s;
        write(job, yaml);
        Options options = options_in(folder_.path());
        options.job_file = ss(job);
        open(options);
        edit_ = find<JobTextEdit>("jobText");
        ASSERT_TRUE(wait_until([&] { return edit_->text() == qs(yaml); }));
        find<QTabWidget>("launchTabs")->setCurrentIndex(1);
        ASSERT_TRUE(wait_start_enabled()) << qPrintable(find<QLabel>("startReason")->text());
    }
    std::string text() { return window_->launch_page()->job_text(); }
    /// Puts the cursor behind the text.
    void go_behind(const QString& what) {
        QTextCursor cursor = edit_->document()->find(what);
        ASSERT_FALSE(cursor.isNull()) << qPrintable(what);
        cursor.clearSelection();
        edit_->setTextCursor(cursor);
        edit_->setFocus();
    }
    void press_undo(QWidget* widget) { QTest::keyClick(widget, Qt::Key_Z, Qt::ControlModifier); }
    void press_redo(QWidget* widget) {
        QTest::keyClick(widget, Qt::Key_Z, Qt::ControlModifier | Qt::ShiftModifier);
    }

    JobTextEdit* edit_ = nullptr;
};

TEST_F(LaunchText, AFieldChangesItsValueInTheText) {
    open_text(kJob);
    type_into(find<QLineEdit>("launchEpochs"), u"12"_s);
    std::string expected = kJob;
    expected.replace(expected.find("epochs: 3"), 9, "epochs: 12");
    EXPECT_EQ(text(), expected);
    EXPECT_EQ(ss(edit_->text()), expected);
}

TEST_F(LaunchText, WhatIsTypedIntoTheTextIsInTheForm) {
    open_text(kJob);
    go_behind(u"epochs: 3"_s);
    QTest::keyClicks(edit_, u"7"_s);
    auto* epochs = find<QLineEdit>("launchEpochs");
    ASSERT_TRUE(wait_until([&] { return epochs->text() == u"37"_s; }));
    EXPECT_TRUE(wait_start_enabled());
    EXPECT_EQ(window_->launch_page()->job().train->at("epochs"), 37);
}

TEST_F(LaunchText, ATextThatCannotBeReadIsMarkedAndTheFormKeepsItsValues) {
    open_text(kJob);
    go_behind(u"name: one"_s);
    QTest::keyClicks(edit_, u": ["_s);
    ASSERT_TRUE(wait_until([&] { return !edit_->marks().empty(); }));
    EXPECT_TRUE(edit_->marks().front().fault);
    EXPECT_GE(edit_->marks().front().line, 2);
    EXPECT_FALSE(
        edit_->help_at(edit_->document()->findBlockByNumber(edit_->marks().front().line - 1).position())
            .isEmpty());
    EXPECT_EQ(find<QLineEdit>("launchName")->text(), u"one"_s);
    EXPECT_FALSE(find<QLineEdit>("launchName")->isEnabled());
    EXPECT_FALSE(find<QPushButton>("startButton")->isEnabled());
    EXPECT_FALSE(find<NoticeBar>("jobProblems")->isVisible()) << "it would move the text that is being typed";
    press_undo(edit_);
    EXPECT_EQ(text(), kJob);
    EXPECT_TRUE(find<QLineEdit>("launchName")->isEnabled());
    EXPECT_TRUE(wait_start_enabled());
}

TEST_F(LaunchText, AWrongValueIsMarkedAtItsLineAndItsField) {
    open_text(kJob);
    go_behind(u"epochs: "_s);
    QTest::keyClicks(edit_, u"x"_s);
    ASSERT_TRUE(wait_until([&] { return !edit_->marks().empty(); }));
    EXPECT_EQ(edit_->marks().front().line, 9);
    EXPECT_EQ(find<QLineEdit>("launchEpochs")->property("invalid").toString(), u"true"_s);
    type_into(find<QLineEdit>("launchEpochs"), u"4"_s);
    EXPECT_TRUE(edit_->marks().empty());
    EXPECT_TRUE(wait_start_enabled()) << qPrintable(find<QLabel>("startReason")->text());
}

TEST_F(LaunchText, UndoGoesBackOverFormAndText) {
    open_text(kJob);
    auto* name = find<QLineEdit>("launchName");
    type_into(name, u"two"_s);
    go_behind(u"epochs: 3"_s);
    QTest::keyClicks(edit_, u"5"_s);
    auto* epochs = find<QLineEdit>("launchEpochs");
    ASSERT_TRUE(wait_until([&] { return epochs->text() == u"35"_s; }));
    name->setFocus();
    press_undo(name);
    EXPECT_EQ(epochs->text(), u"3"_s);
    EXPECT_EQ(name->text(), u"two"_s);
    press_undo(name);
    EXPECT_EQ(name->text(), u"one"_s);
    EXPECT_EQ(text(), kJob);
    press_redo(name);
    EXPECT_EQ(name->text(), u"two"_s);
    edit_->setFocus();
    press_redo(edit_);
    EXPECT_EQ(epochs->text(), u"35"_s);
    click(find<QToolButton>("discardDraft"));
    EXPECT_EQ(text(), kJob);
    EXPECT_FALSE(find<QToolButton>("discardDraft")->isEnabled());
}

TEST_F(LaunchText, ATextThatIsNoValueOfAFieldIsUndoneFirst) {
    open_text(kJob);
    auto* port = find<QLineEdit>("launchPort");
    type_into(port, u"far"_s);
    EXPECT_EQ(text(), kJob) << "the text keeps the last value";
    EXPECT_FALSE(find<QPushButton>("startButton")->isEnabled());
    press_undo(port);
    EXPECT_EQ(port->text(), u"0"_s);
    EXPECT_TRUE(wait_start_enabled());
}

TEST_F(LaunchText, KeysAreCompletedAndExplained) {
    open_text(kJob);
    go_behind(u"epochs: 3   # few"_s);
    QTest::keyClick(edit_, Qt::Key_Return);
    QTest::keyClicks(edit_, u"sync"_s);
    auto* offers = edit_->findChild<QCompleter*>()->popup();
    ASSERT_TRUE(offers->isVisible());
    ASSERT_EQ(offers->model()->rowCount(), 1);
    QTest::keyClick(offers, Qt::Key_Return);
    EXPECT_TRUE(edit_->text().contains(u"\n  sync_bn: "_s)) << qPrintable(edit_->text());
    QTest::keyClick(edit_, Qt::Key_Space, Qt::ControlModifier);
    ASSERT_TRUE(offers->isVisible());
    QTest::keyClick(offers, Qt::Key_Return);
    EXPECT_TRUE(edit_->text().contains(u"\n  sync_bn: true"_s)) << qPrintable(edit_->text());
    EXPECT_TRUE(edit_->help_at(edit_->document()->find(u"sync_bn"_s).position())
                    .contains(u"statistics of the batches of all ranks"_s));
    auto* help = find<QLabel>("jobTextHelp");
    EXPECT_TRUE(wait_until([&] { return help->text().contains(u"train.sync_bn"_s); }));
    ASSERT_TRUE(wait_until([&] { return window_->launch_page()->job().train->contains("sync_bn"); }));
}

TEST_F(LaunchText, SavingKeepsCommentsAndLineEnds) {
    std::string dos = kJob;
    for (std::size_t at = dos.find('\n'); at != std::string::npos; at = dos.find('\n', at + 2)) {
        dos.replace(at, 1, "\r\n");
    }
    const QString job = folder_.path() + u"/job.yaml"_s;
    write(job, dos);
    Options options = options_in(folder_.path());
    options.job_file = ss(job);
    open(options);
    edit_ = find<JobTextEdit>("jobText");
    ASSERT_TRUE(wait_until([&] { return text() == dos; }));
    find<QTabWidget>("launchTabs")->setCurrentIndex(1);
    go_behind(u"epochs: 3"_s);
    QTest::keyClicks(edit_, u"1"_s);
    type_into(find<QLineEdit>("launchName"), u"two"_s);
    std::string expected = dos;
    expected.replace(expected.find("epochs: 3"), 9, "epochs: 31");
    expected.replace(expected.find("name: one"), 9, "name: two");
    QTest::keyClick(edit_, Qt::Key_S, Qt::ControlModifier);
    ASSERT_TRUE(wait_until([&] { return find<QLabel>("jobFile")->text() == u"job.yaml"_s; }));
    QFile file(job);
    ASSERT_TRUE(file.open(QIODevice::ReadOnly));
    EXPECT_EQ(file.readAll().toStdString(), expected);
}

TEST_F(LaunchText, TheDraftIsThereAfterARestart) {
    open();
    type_into(find<QLineEdit>("launchName"), u"kept"_s);
    const QString draft = folder_.path() + u"/launch-draft.json"_s;
    ASSERT_TRUE(wait_until(
        [&] {
            QFile file(draft);
            return file.open(QIODevice::ReadOnly) && file.readAll().contains("name: kept");
        },
        1000))
        << "within a second, so that even a killed program loses no more";
    QFile::copy(draft, draft + u".killed"_s);
    window_.reset();
    QFile::remove(draft);
    QFile::copy(draft + u".killed"_s, draft);
    open();
    auto* name = find<QLineEdit>("launchName");
    ASSERT_TRUE(wait_until([&] { return name->text() == u"kept"_s; }));
    EXPECT_TRUE(find<QToolButton>("discardDraft")->isEnabled());
    click(find<QToolButton>("discardDraft"));
    EXPECT_EQ(name->text(), u"mnist-convnet"_s);
}

}  // namespace
}  // namespace rankscope::gui::testing
