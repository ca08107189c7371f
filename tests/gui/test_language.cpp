// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <base/config/phrase.h>
#include <gui/logview/line_meaning.h>
#include <gui/settings/language.h>
#include <gui/texts.h>
#include <remote/desk/runs/log_rules.h>
#include <remote/desk/shared/text.h>
#include <remote/logs/variables/variable_table.h>
#include <remote/logs/verdicts/rule_text.h>

#include <tests/gui/pages_fixture.h>

#include <QAbstractButton>
#include <QStackedWidget>

namespace rankscope::gui::testing {
namespace {

TEST(Language, AChoiceIsACodeOrTheDesktops) {
    EXPECT_EQ(language_for(u"zh_CN"_s), u"zh_CN"_s);
    EXPECT_EQ(language_for(u"en"_s), u"en"_s);
    EXPECT_EQ(language_for(u"tlh"_s), u"en"_s) << "there is no such translation";
    EXPECT_FALSE(language_for(u"system"_s).isEmpty());
    EXPECT_TRUE(parse_options({u"rankscope"_s, u"--language"_s, u"zh_CN"_s}).error.isEmpty());
    EXPECT_TRUE(parse_options({u"rankscope"_s, u"--language"_s, u"latin"_s}).error.contains(u"zh_CN"_s));
}

TEST(Language, EnglishHasPlurals) {
    QObject owner;
    install_language(&owner, u"en"_s);
    const auto ranks = [](int count) {
        return QCoreApplication::translate("rankscope::gui::AdvicePanel", " × %n rank(s)", nullptr, count);
    };
    EXPECT_EQ(ranks(1), u" × 1 rank"_s);
    EXPECT_EQ(ranks(2), u" × 2 ranks"_s);
    EXPECT_EQ(phase_text(RankPhase::Waiting), u"waiting"_s);
}

class Chinese : public Pages {
protected:
    void SetUp() override {
        install_language(&owner_, u"zh_CN"_s);
        translate_other_parts();
    }
    void TearDown() override {
        window_.reset();
        set_translator(nullptr);
        config::set_translation(nullptr);
    }

private:
    QObject owner_;  ///< of the translations: they go with it
};

TEST_F(Chinese, TheWindowSpeaksIt) {
    write(inventory_file(), "nodes:\n  - name: node1\n");
    open();
    EXPECT_EQ(find<QPushButton>("probeAll")->text().left(4), u"全部探测"_s.left(4))
        << ss(find<QPushButton>("probeAll")->text());
    // Of remote/ and of base/, which know no Qt.
    const JobRead read = parse_job("name: a\nnodes: [local]\ncommand: [a]\nmaster_port: 99999\n", "job.yaml");
    ASSERT_FALSE(read.problems.empty());
    const QString what = qs(read.problems.front().what);
    EXPECT_TRUE(std::any_of(what.begin(), what.end(), [](QChar c) {
        return c.script() == QChar::Script_Han;
    })) << ss(what);
}

TEST_F(Chinese, DataFilesSpeakItToo) {
    const auto is_han = [](const QString& text) {
        return std::any_of(text.begin(), text.end(), [](QChar c) { return c.script() == QChar::Script_Han; });
    };
    const logs::RuleSet rules = log_rules();
    ASSERT_FALSE(rules.rules.empty());
    for (const logs::Rule& rule : rules.rules) {
        EXPECT_TRUE(rule.title.empty() || is_han(qs(rule.title))) << rule.id;
        const auto nothing = [](std::string_view) { return std::string(); };
        const QString bare = qs(logs::title_text(rule.title, nothing));
        for (const QString& gap : {u"  "_s, u"{"_s, u":："_s, u"（）"_s, u" 。"_s, u" ，"_s, u" ："_s}) {
            EXPECT_FALSE(bare.contains(gap)) << rule.id << ": " << ss(bare);
        }
    }
    const logs::VariableInfo* info = logs::VariableTable::own().find("NCCL_SOCKET_IFNAME");
    ASSERT_TRUE(info);
    EXPECT_TRUE(is_han(variable_text(info->meaning)));
    EXPECT_TRUE(is_han(variable_text(info->default_text)));
    EXPECT_TRUE(
        is_han(nccl_line_text(line_meaning("n1:7:7 [0] NCCL INFO Bootstrap : Using eth0:10.0.0.1<0>"))));
    // A user's own text stays.
    EXPECT_EQ(variable_text("the name of our cluster"), u"the name of our cluster"_s);
}

TEST_F(Chinese, NoButtonIsCutOnAnyPage) {
    write(inventory_file(), "nodes:\n  - name: node1\n");
    open();
    window_->resize(1280, 800);
    for (const auto page : {MainWindow::Page::Fleet, MainWindow::Page::Launch, MainWindow::Page::Doctor,
                            MainWindow::Page::Live, MainWindow::Page::Runs, MainWindow::Page::Logs}) {
        window_->show_page(page);
        QCoreApplication::processEvents();
        for (const QAbstractButton* button : window_->findChildren<QAbstractButton*>()) {
            if (button->isVisible() && !button->text().isEmpty()) {
                EXPECT_GE(button->width(), button->minimumSizeHint().width())
                    << ss(button->objectName()) << " " << ss(button->text());
            }
        }
    }
    auto* pages = window_->centralWidget()->findChild<QStackedWidget*>();
    ASSERT_NE(pages, nullptr);
    for (int i = 0; i < pages->count(); ++i) {
        EXPECT_LE(pages->widget(i)->minimumSizeHint().width(), 920) << ss(pages->widget(i)->objectName());
    }
    EXPECT_LE(window_->minimumSizeHint().width(), 1008);
}

}  // namespace
}  // namespace rankscope::gui::testing
