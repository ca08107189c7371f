// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

// Keys: which there are, who gets them, what the settings list; the menus that have them.

#include <gui/actions/action_registry.h>
#include <gui/app/docs_window.h>
#include <gui/launch/launch_page.h>
#include <gui/live/live_page.h>
#include <gui/live/log_pane.h>
#include <gui/logview/log_view.h>
#include <gui/runs/compare_view.h>
#include <gui/runs/runs_page.h>
#include <gui/settings/settings_file.h>
#include <gui/widgets/notice_bar.h>
#include <remote/desk/jobs/config/recipes.h>

#include <tests/gui/pages_fixture.h>

#include <QAbstractButton>
#include <QAction>
#include <QClipboard>
#include <QItemSelectionModel>
#include <QKeySequenceEdit>
#include <QLineEdit>
#include <QListView>
#include <QListWidget>
#include <QMenu>
#include <QMenuBar>
#include <QSettings>
#include <QShortcut>
#include <QTableView>
#include <QTableWidget>
#include <QTextBlock>
#include <QTextBrowser>
#include <algorithm>
#include <map>
#include <set>

namespace rankscope::gui::testing {
namespace {

class Shortcuts : public Pages {
protected:
    void SetUp() override { QSettings().clear(); }
    void TearDown() override {
        window_.reset();
        QSettings().clear();
    }

    ActionRegistry* registry() { return window_->findChild<ActionRegistry*>(); }
    QAction* action(const char* id) { return registry()->find(QString::fromLatin1(id))->action; }
    void activate() {
        window_->activateWindow();
        ASSERT_TRUE(wait_until([&] { return window_->isActiveWindow(); }));
    }
    QTableWidget* open_list() {
        window_->show_settings(SettingsPart::Shortcuts);
        return child<QTableWidget>(wait_dialog("settingsDialog"), "settingsShortcuts");
    }
    int row_of(const QTableWidget* table, const QString& name) {
        for (int row = 0; row < table->rowCount(); ++row) {
            if (table->item(row, 0)->text() == name) {
                return row;
            }
        }
        ADD_FAILURE() << ss(name);
        return 0;
    }
    QStringList menu_texts(const QString& title) {
        QStringList texts;
        for (const QAction* each : window_->menuBar()->actions()) {
            if (each->text() == title) {
                for (QAction* entry : each->menu()->actions()) {
                    texts += entry->text().remove(u'&');
                }
            }
        }
        return texts;
    }
    void show_run() {
        window_->live_page()->show_stored(synthetic_data({.until = 0.5}));
        window_->show_page(MainWindow::Page::Live);
    }
};

TEST_F(Shortcuts, TheSettingsListEveryKeyOfTheWindow) {
    fill_store({{.id = "a"}, {.id = "b"}});
    open();
    show_run();
    std::set<QString> listed;
    const QTableWidget* table = open_list();
    for (int row = 0; row < table->rowCount(); ++row) {
        for (const QString& keys : table->item(row, 2)->text().split(u", "_s)) {
            listed.insert(keys);
        }
    }
    std::map<QString, QString> used;
    for (const auto* shortcut : window_->centralWidget()->findChildren<QShortcut*>()) {
        for (const QKeySequence& keys : shortcut->keys()) {
            used[keys.toString(QKeySequence::NativeText)] = shortcut->parent()->objectName();
        }
    }
    for (const auto* each : window_->findChildren<QAction*>()) {
        for (const QKeySequence& keys : each->shortcuts()) {
            used[keys.toString(QKeySequence::NativeText)] = each->text();
        }
    }
    for (const auto* button : window_->centralWidget()->findChildren<QAbstractButton*>()) {
        const QKeySequence keys = button->shortcut();
        if (!keys.isEmpty() && keys[0].keyboardModifiers() != Qt::AltModifier) {
            used[keys.toString(QKeySequence::NativeText)] = button->objectName();
        }
    }
    EXPECT_GE(used.size(), 25U);
    for (const auto& [keys, owner] : used) {
        EXPECT_TRUE(listed.contains(keys)) << ss(keys) << " of " << ss(owner);
    }
}

TEST_F(Shortcuts, NoKeyIsOfTwoActionsWhereBothHold) {
    QSettings().setValue(u"shortcuts/page.fleet"_s, u"F3"_s);     // of Find next
    QSettings().setValue(u"shortcuts/page.runs"_s, u"Ctrl+Y"_s);  // the second one of Redo
    open();
    EXPECT_EQ(action("page.fleet")->shortcut(), QKeySequence(Qt::Key_F3)) << "the user's own counts";
    EXPECT_TRUE(action("edit.find_next")->shortcuts().isEmpty());
    EXPECT_EQ(action("edit.redo")->shortcuts(), QList{QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_Z)});
    std::map<QString, const ActionRegistry::Entry*> owners;
    for (const auto& entry : registry()->entries()) {
        for (const QKeySequence& keys : entry.action->shortcuts()) {
            const auto*& owner = owners[keys.toString()];
            EXPECT_TRUE(owner == nullptr ||
                        (owner->spec.where && entry.spec.where && owner->spec.where != entry.spec.where))
                << ss(entry.spec.id) << " and " << ss(owner->spec.id);
            owner = &entry;
        }
    }
}

TEST_F(Shortcuts, KeysInUseAreNamedAndTakenFromAll) {
    open();
    QTableWidget* table = open_list();
    QWidget* dialog = table->window();
    auto* edit = child<QKeySequenceEdit>(dialog, "shortcutKeys");
    auto* assign = child<QPushButton>(dialog, "shortcutAssign");
    auto* problem = child<QLabel>(dialog, "shortcutProblem");
    table->selectRow(row_of(table, u"Documentation"_s));
    edit->setKeySequence(QKeySequence(Qt::Key_Left));
    EXPECT_FALSE(assign->isEnabled());
    EXPECT_TRUE(problem->text().contains(u"curves"_s)) << ss(problem->text());
    edit->setKeySequence(QKeySequence(Qt::Key_Q));
    EXPECT_FALSE(assign->isEnabled()) << "a letter is text";
    edit->setKeySequence(QKeySequence(Qt::CTRL | Qt::Key_Return));
    EXPECT_TRUE(problem->text().contains(u"\"Start\", \"Run preflight\""_s)) << ss(problem->text());
    click(assign);
    EXPECT_EQ(action("help.docs")->shortcuts().size(), 2) << "Return and the keypad's Enter";
    EXPECT_TRUE(action("run.start")->shortcuts().isEmpty());
    EXPECT_TRUE(action("run.preflight")->shortcuts().isEmpty());
    // Deleting holds in the table of Runs only, and Start in Launch only.
    table->selectRow(row_of(table, u"Delete the selected run…"_s));
    edit->setKeySequence(QKeySequence(Qt::Key_F1));
    EXPECT_TRUE(problem->text().isEmpty()) << "F1 is free now: " << ss(problem->text());
}

TEST_F(Shortcuts, FindGoesToThePageAndItsKeysCanBeChanged) {
    fill_store({{.id = "a"}});
    open();
    activate();
    show_run();
    auto* log_search = window_->live_page()->log()->search();
    EXPECT_EQ(log_search->placeholderText(), u"Search (Ctrl+F)"_s);
    QTest::keyClick(window_.get(), Qt::Key_F, Qt::ControlModifier);
    EXPECT_TRUE(wait_until([&] { return log_search->hasFocus(); }));
    window_->show_page(MainWindow::Page::Runs);
    ASSERT_TRUE(wait_until([&] { return find<QTableView>("runsTable")->model()->rowCount() == 1; }));
    QTest::keyClick(window_.get(), Qt::Key_F, Qt::ControlModifier);
    EXPECT_TRUE(wait_until([&] { return find<QLineEdit>("runsSearch")->hasFocus(); }));
    Settings settings = window_->workspace()->settings()->now();
    settings.shortcuts[u"edit.find"_s] = u"Ctrl+G"_s;
    window_->workspace()->settings()->set(settings);
    EXPECT_EQ(log_search->placeholderText(), u"Search (Ctrl+G)"_s);
    window_->show_page(MainWindow::Page::Live);
    log_search->clearFocus();
    QTest::keyClick(window_.get(), Qt::Key_F, Qt::ControlModifier);
    EXPECT_FALSE(log_search->hasFocus());
    QTest::keyClick(window_.get(), Qt::Key_G, Qt::ControlModifier);
    EXPECT_TRUE(wait_until([&] { return log_search->hasFocus(); }));
}

TEST_F(Shortcuts, FindNextStepsThroughTheLogFromAnywhereInLive) {
    open();
    activate();
    show_run();
    LogPane* log = window_->live_page()->log();
    type_into(log->search(), u"loss"_s);
    auto* count = child<QLabel>(log, "logFound");
    const auto place = [count] { return count->text().section(u',', 0, 0); };
    ASSERT_TRUE(wait_until([&] { return place().contains(u" of "_s); })) << ss(count->text());
    const QString first = place();
    window_->live_page()->setFocus();
    QTest::keyClick(window_.get(), Qt::Key_F3);
    ASSERT_TRUE(wait_until([&] { return place() != first; })) << ss(count->text());
    QTest::keyClick(window_.get(), Qt::Key_F3, Qt::ShiftModifier);
    EXPECT_TRUE(wait_until([&] { return place() == first; })) << ss(count->text());
    log->view()->setFocus();
    action("edit.copy")->trigger();
    EXPECT_EQ(QApplication::clipboard()->text(), u"loss"_s) << "the match is selected";
}

TEST_F(Shortcuts, UndoIsForTheFocusedPageAndSaysWhenThereIsNothing) {
    open();
    activate();
    window_->show_page(MainWindow::Page::Fleet);
    action("edit.undo")->trigger();
    auto* message = find<NoticeBar>("windowMessage");
    ASSERT_TRUE(message->isVisible());
    EXPECT_TRUE(message->text().contains(u"nothing to undo"_s)) << ss(message->text());
    window_->show_page(MainWindow::Page::Launch);
    auto* epochs = find<QLineEdit>("launchEpochs");
    const QString before = epochs->text();
    type_into(epochs, u"7"_s);
    ASSERT_TRUE(wait_until(
        [&] { return window_->launch_page()->job_text().find("epochs: 7") != std::string::npos; }));
    action("edit.undo")->trigger();
    EXPECT_TRUE(wait_until([&] { return epochs->text() == before; })) << ss(epochs->text());
    action("edit.redo")->trigger();
    EXPECT_TRUE(wait_until([&] { return epochs->text() == u"7"_s; }));
    QTest::keyClick(epochs, Qt::Key_Z, Qt::ControlModifier);
    EXPECT_TRUE(wait_until([&] { return epochs->text() == before; }))
        << "the field leaves the keys to the page";
    QTest::keyClick(epochs, Qt::Key_Y, Qt::ControlModifier);
    EXPECT_TRUE(wait_until([&] { return epochs->text() == u"7"_s; }));
}

TEST_F(Shortcuts, CopyTakesTheSelectedRows) {
    fill_store({{.name = "night-run", .id = "a"}});
    open();
    activate();
    window_->show_page(MainWindow::Page::Runs);
    auto* table = find<QTableView>("runsTable");
    ASSERT_TRUE(wait_until([&] { return table->model()->rowCount() == 1; }));
    table->setFocus();
    // selectRow() would toggle it where an earlier test has pressed Control last.
    table->selectionModel()->select(table->model()->index(0, 0),
                                    QItemSelectionModel::ClearAndSelect | QItemSelectionModel::Rows);
    QTest::keyClick(table, Qt::Key_C, Qt::ControlModifier);
    const QString copied = QApplication::clipboard()->text();
    EXPECT_TRUE(copied.contains(u"night-run"_s)) << ss(copied);
    EXPECT_TRUE(copied.contains(u'\t')) << "cells with tabs between";
}

TEST_F(Shortcuts, TheMenusAreComplete) {
    open();
    for (const auto& text :
         {u"Undo"_s, u"Redo"_s, u"Copy"_s, u"Find…"_s, u"Find next"_s, u"Find previous"_s}) {
        EXPECT_TRUE(menu_texts(u"&Edit"_s).contains(text)) << ss(text);
    }
    EXPECT_TRUE(menu_texts(u"&File"_s).contains(u"Recipes…"_s));
    EXPECT_TRUE(menu_texts(u"&File"_s).contains(u"Save the job"_s));
    EXPECT_TRUE(menu_texts(u"&Help"_s).contains(u"Documentation"_s));
    EXPECT_TRUE(menu_texts(u"&Help"_s).contains(u"Keyboard shortcuts…"_s));
    EXPECT_TRUE(menu_texts(u"&Run"_s).contains(u"Force stop"_s));
    EXPECT_TRUE(menu_texts(u"&View"_s).contains(u"Columns of Runs…"_s));
    const QString reason = registry()->find(u"run.force_stop"_s)->blocked();
    EXPECT_TRUE(reason.contains(u"does not end"_s)) << ss(reason);
    action("file.recipes")->trigger();
    EXPECT_NE(wait_dialog("recipesDialog"), nullptr);
}

TEST_F(Shortcuts, TheDocumentationOpensWithoutNetwork) {
    open();
    ASSERT_FALSE(docs_folder().empty());
    action("help.docs")->trigger();
    auto* docs = find<DocsWindow>("docsWindow");
    EXPECT_TRUE(docs->isVisible());
    EXPECT_TRUE(docs->browser()->toPlainText().contains(u"For users"_s));
    emit docs->browser()->anchorClicked(QUrl(u"settings.md#commands-and-keys"_s));
    EXPECT_TRUE(docs->browser()->source().path().endsWith(u"/settings.md"_s));
    EXPECT_EQ(docs->browser()->textCursor().block().text(), u"Commands and keys"_s);
    action("help.docs")->trigger();
    EXPECT_EQ(window_->findChildren<DocsWindow*>().size(), 1) << "the same window";
}

TEST_F(Shortcuts, ThePaletteHasOwnRecipesAndWhatANodeCanDo) {
    Inventory inventory;
    inventory.nodes = {node_called("node1"), node_called("node2")};
    ASSERT_TRUE(write_inventory(inventory, ss(inventory_file())).ok());
    open();
    ASSERT_TRUE(window_->launch_page()->recipe_book().save("my-resnet", "name: mine\nepochs: 4\n").ok());
    window_->show_palette();
    QDialog* palette = wait_dialog("commandPalette");
    auto* line = child<QLineEdit>(palette, "paletteLine");
    auto* list = child<QListView>(palette, "paletteList");
    type_into(line, u"edit node2"_s);
    EXPECT_EQ(list->currentIndex().data().toString(), u"Edit node2…"_s);
    type_into(line, u"shell node2"_s);
    EXPECT_EQ(list->currentIndex().data().toString(), u"Open shell on node2"_s);
    type_into(line, u"own recipe my-res"_s);
    ASSERT_TRUE(wait_until([&] { return list->currentIndex().data().toString() == u"my-resnet"_s; }));
    QTest::keyClick(line, Qt::Key_Return);
    EXPECT_TRUE(wait_until([&] { return window_->page() == MainWindow::Page::Launch; }));
    EXPECT_TRUE(wait_until([&] { return window_->launch_page()->job_title().contains(u"my-resnet"_s); }))
        << ss(window_->launch_page()->job_title());
}

}  // namespace
}  // namespace rankscope::gui::testing
