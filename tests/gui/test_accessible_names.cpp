// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

// The tree that screen readers see: every control of every page has a name. Dialogs: NameWatch.

#include <gui/live/live_page.h>
#include <gui/strings.h>
#include <gui/widgets/clear_button.h>

#include <tests/gui/name_watch.h>
#include <tests/gui/pages_fixture.h>
#include <tests/gui/synthetic_run.h>

#include <QAccessible>
#include <QDialog>
#include <QLineEdit>
#include <QPushButton>
#include <QToolButton>
#include <QVBoxLayout>

namespace rankscope::gui::testing {
namespace {

class AccessibleNames : public Pages {};

TEST_F(AccessibleNames, EveryControlOfEveryPageHasOne) {
    write(inventory_file(), "nodes:\n  - { name: node1 }\n  - { name: node2 }\n");
    open();
    window_->live_page()->show_stored(
        synthetic_data({.ranks = 4, .fate = Fate::Killed, .notices = true, .gpus = 2}));
    for (const auto page : {MainWindow::Page::Fleet, MainWindow::Page::Launch, MainWindow::Page::Doctor,
                            MainWindow::Page::Live, MainWindow::Page::Runs, MainWindow::Page::Logs}) {
        window_->show_page(page);
        QCoreApplication::processEvents();
        const ControlNames names = control_names(QAccessible::queryAccessibleInterface(window_.get()));
        EXPECT_GT(names.controls, 20) << int(page);
        EXPECT_TRUE(names.unnamed.isEmpty()) << "page " << int(page) << ":\n"
                                             << qPrintable(names.unnamed.join(u'\n'));
    }
}

// Qt shows the button as soon as there is text.
TEST(ControlNames, AClearButtonHasOne) {
    QDialog dialog;
    auto* layout = new QVBoxLayout(&dialog);
    auto* field = new QLineEdit(&dialog);
    field->setAccessibleName(u"Name"_s);
    layout->addWidget(field);
    add_clear_button(field);
    dialog.show();
    field->setText(u"text"_s);
    const auto* button = field->findChild<QToolButton*>();
    ASSERT_NE(button, nullptr);
    ASSERT_TRUE(wait_until([&] { return button->isVisible(); }));
    const ControlNames names = control_names(QAccessible::queryAccessibleInterface(&dialog));
    EXPECT_EQ(names.controls, 2);
    EXPECT_TRUE(names.unnamed.isEmpty()) << qPrintable(names.unnamed.join(u'\n'));
}

TEST(ControlNames, ThoseWithoutANameAreFound) {
    QDialog dialog;
    dialog.setObjectName(u"sample"_s);
    auto* layout = new QVBoxLayout(&dialog);
    auto* field = new QLineEdit(&dialog);
    field->setObjectName(u"field"_s);
    layout->addWidget(field);
    layout->addWidget(new QPushButton(u"Close"_s, &dialog));
    dialog.show();
    ControlNames names = control_names(QAccessible::queryAccessibleInterface(&dialog));
    EXPECT_EQ(names.controls, 2);
    EXPECT_EQ(names.unnamed, QStringList{u"/QDialog#sample/QLineEdit#field"_s});
    field->setAccessibleName(u"Name"_s);
    names = control_names(QAccessible::queryAccessibleInterface(&dialog));
    EXPECT_TRUE(names.unnamed.isEmpty());
}

}  // namespace
}  // namespace rankscope::gui::testing
