// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

// The tree that screen readers see: every control of every page has a name.

#include <gui/live/live_page.h>

#include <tests/gui/pages_fixture.h>
#include <tests/gui/synthetic_run.h>

#include <QAccessible>
#include <QSet>
#include <QStringList>

namespace rankscope::gui::testing {
namespace {

bool is_control(QAccessible::Role role) {
    static const QSet<QAccessible::Role> kControls{
        QAccessible::PushButton,     QAccessible::CheckBox,     QAccessible::RadioButton,
        QAccessible::ComboBox,       QAccessible::EditableText, QAccessible::SpinBox,
        QAccessible::Slider,         QAccessible::PageTab,      QAccessible::ButtonMenu,
        QAccessible::ButtonDropDown, QAccessible::Table,        QAccessible::Tree,
        QAccessible::List,           QAccessible::MenuItem,     QAccessible::Link,
        QAccessible::Chart,          QAccessible::Graphic,      QAccessible::Dial};
    return kControls.contains(role);
}

/// Where a control without a name is, by the names and classes above it.
void collect(QAccessibleInterface* at, const QString& path, int depth, QStringList& unnamed, int& controls) {
    constexpr int kDeepest = 40;
    if (at == nullptr || !at->isValid() || depth > kDeepest) {
        return;
    }
    const QString name = at->text(QAccessible::Name);
    QObject* object = at->object();
    const QString here =
        path % u'/' %
        (object == nullptr
             ? QString::number(int(at->role()))
             : QString(QString::fromLatin1(object->metaObject()->className()) % u'#' % object->objectName()));
    const bool hidden = at->state().invisible || at->state().offscreen;
    if (is_control(at->role())) {
        ++controls;
        if (name.trimmed().isEmpty() && !hidden) {
            unnamed += here;
        }
    }
    if (at->role() == QAccessible::Table || at->role() == QAccessible::Tree ||
        at->role() == QAccessible::List) {
        return;  // cells are values
    }
    for (int i = 0; i < at->childCount(); ++i) {
        collect(at->child(i), here, depth + 1, unnamed, controls);
    }
}

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
        QStringList unnamed;
        int controls = 0;
        collect(QAccessible::queryAccessibleInterface(window_.get()), {}, 0, unnamed, controls);
        EXPECT_GT(controls, 20) << int(page);
        EXPECT_TRUE(unnamed.isEmpty()) << "page " << int(page) << ":\n" << qPrintable(unnamed.join(u'\n'));
    }
}

}  // namespace
}  // namespace rankscope::gui::testing
