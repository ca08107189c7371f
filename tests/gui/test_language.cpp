// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <base/config/phrase.h>
#include <gui/settings/language.h>
#include <remote/desk/text.h>

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
