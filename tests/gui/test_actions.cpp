// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

// Actions, menus and the command palette.

#include <gui/actions/action_registry.h>
#include <gui/actions/command_model.h>
#include <gui/live/live_page.h>
#include <gui/live/log_pane.h>
#include <gui/live/rank_strip.h>
#include <gui/runs/runs_page.h>
#include <gui/widgets/notice_bar.h>

#include <tests/gui/pages_fixture.h>

#include <QAbstractButton>
#include <QAbstractItemModelTester>
#include <QAction>
#include <QLineEdit>
#include <QListView>
#include <QMenu>
#include <QMenuBar>
#include <QSettings>
#include <QTableView>
#include <map>

namespace rankscope::gui::testing {
namespace {

std::vector<int> found(const QString& query, const QString& text) {
    const auto match = fuzzy_match(query, text);
    return match ? match->positions : std::vector<int>{-1};
}

TEST(FuzzyMatch, FindsLettersInOrderAndPrefersBeginningsOfWords) {
    EXPECT_EQ(found(u"ojf"_s, u"Open job file"_s), (std::vector<int>{0, 5, 9}));
    EXPECT_EQ(found(u"job"_s, u"object Job"_s), (std::vector<int>{7, 8, 9}));
    EXPECT_EQ(found(u"JOB open"_s, u"Open job file"_s), (std::vector<int>{0, 1, 2, 3, 5, 6, 7}))
        << "words in any order";
    EXPECT_EQ(found(u"pn"_s, u"ProbeNode"_s), (std::vector<int>{0, 5}));
    EXPECT_EQ(found(u"xyz"_s, u"Open job file"_s), std::vector<int>{-1});
    EXPECT_EQ(found(u"jj"_s, u"Open job file"_s), std::vector<int>{-1});
    EXPECT_EQ(found({}, u"Open"_s), std::vector<int>{});
    EXPECT_GT(fuzzy_match(u"run"_s, u"Run again"_s)->score,
              fuzzy_match(u"run"_s, u"Attach to the run"_s)->score);
    EXPECT_GT(fuzzy_match(u"st"_s, u"Stop"_s)->score,
              fuzzy_match(u"st"_s, u"Save as bundle of node st"_s)->score / 2);
}

TEST(FuzzyMatch, ManagesHostileText) {
    EXPECT_FALSE(fuzzy_match(QString(100'000, u'a'), u"aaa"_s));
    EXPECT_TRUE(fuzzy_match(u"a"_s, QString(1'000'000, u'a')));
    EXPECT_TRUE(fuzzy_match(QString(150, u'a'), QString(200, u'a')));
    EXPECT_TRUE(fuzzy_match(u"训练"_s, u"在这台电脑上训练"_s));
    EXPECT_TRUE(fuzzy_match(u"straße"_s, u"Straße"_s));
    (void)fuzzy_match(QString(QChar(0xd800)), QString(QChar(0xdc00)));
}

TEST(CommandModel, RecentOnesAreFirstAndBlockedOnesSayWhy) {
    CommandModel model;
    const QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::Fatal);
    model.set_commands({{.id = u"a"_s, .text = u"Add node"_s, .group = u"Nodes"_s},
                        {.id = u"b"_s, .text = u"Probe"_s, .group = u"Nodes"_s, .blocked = u"No node."_s},
                        {.id = u"c"_s, .text = u"Quit"_s, .group = u"File"_s, .keys = u"Ctrl+Q"_s}},
                       {u"c"_s, u"gone"_s});
    ASSERT_EQ(model.rowCount(), 3);
    EXPECT_EQ(model.at(0)->id, u"c"_s);
    EXPECT_EQ(model.index(0).data(CommandModel::KeysRole).toString(), u"Ctrl+Q"_s);
    model.set_query(u"nodes"_s);
    ASSERT_EQ(model.rowCount(), 2) << "the group is searched, too";
    model.set_query(u"prb"_s);
    ASSERT_EQ(model.rowCount(), 1);
    EXPECT_EQ(model.index(0).data(CommandModel::BlockedRole).toString(), u"No node."_s);
    EXPECT_EQ(model.index(0).data(CommandModel::PositionsRole).toList(), (QVariantList{0, 1, 3}));
    model.set_query(u"nothing like it"_s);
    EXPECT_EQ(model.rowCount(), 0);
    EXPECT_EQ(model.at(0), nullptr);
}

class Actions : public Pages {
protected:
    void SetUp() override { QSettings().clear(); }

    QDialog* open_palette() {
        window_->activateWindow();
        EXPECT_TRUE(wait_until([&] { return window_->isActiveWindow(); }));
        QTest::keyClick(window_.get(), Qt::Key_K, Qt::ControlModifier);
        QDialog* palette = wait_dialog("commandPalette");
        EXPECT_TRUE(wait_until([&] { return child<QLineEdit>(palette, "paletteLine")->hasFocus(); }));
        return palette;
    }
    ActionRegistry* registry() { return window_->findChild<ActionRegistry*>(); }
    bool palette_is_gone() {
        return wait_until([&] { return window_->findChild<QDialog*>(u"commandPalette"_s) == nullptr; });
    }
};

TEST_F(Actions, ThePaletteIsUsedByTheKeyboardAlone) {
    open();
    QDialog* palette = open_palette();
    auto* line = child<QLineEdit>(palette, "paletteLine");
    auto* list = child<QListView>(palette, "paletteList");
    QTest::keyClicks(line, u"runs"_s);
    EXPECT_EQ(list->currentIndex().row(), 0);
    EXPECT_EQ(list->currentIndex().data().toString(), u"Runs"_s);
    EXPECT_TRUE(line->accessibleDescription().contains(u"Runs"_s));
    QTest::keyClick(line, Qt::Key_Down);
    EXPECT_EQ(list->currentIndex().row(), 1);
    QTest::keyClick(line, Qt::Key_Up);
    QTest::keyClick(line, Qt::Key_Return);
    EXPECT_TRUE(wait_until([&] { return window_->page() == MainWindow::Page::Runs; }));
    ASSERT_TRUE(palette_is_gone());
    // What was used last is first.
    palette = open_palette();
    EXPECT_EQ(child<QListView>(palette, "paletteList")->currentIndex().data().toString(), u"Runs"_s);
    QTest::keyClick(child<QLineEdit>(palette, "paletteLine"), Qt::Key_Escape);
    EXPECT_TRUE(palette_is_gone());
}

TEST_F(Actions, ThePaletteSaysWhyACommandIsUnavailable) {
    open();
    QDialog* palette = open_palette();
    auto* line = child<QLineEdit>(palette, "paletteLine");
    QTest::keyClicks(line, u"stop"_s);
    auto* hint = child<QLabel>(palette, "paletteHint");
    EXPECT_TRUE(hint->text().contains(u"No run is in progress"_s)) << ss(hint->text());
    QTest::keyClick(line, Qt::Key_Return);
    EXPECT_TRUE(palette->isVisible());
    palette->close();
}

TEST_F(Actions, NodesRunsAndRecipesAreCommands) {
    Inventory inventory;
    inventory.nodes = {node_called("node1"), node_called("node2")};
    ASSERT_TRUE(write_inventory(inventory, ss(inventory_file())).ok());
    fill_store({{.name = "resnet-sweep", .id = "a"}});
    open();
    QDialog* palette = open_palette();
    auto* line = child<QLineEdit>(palette, "paletteLine");
    auto* list = child<QListView>(palette, "paletteList");
    type_into(line, u"node2 node"_s);
    EXPECT_EQ(list->currentIndex().data().toString(), u"node2"_s);
    type_into(line, u"recipe mnist"_s);
    EXPECT_TRUE(list->currentIndex().data().toString().contains(u"mnist"_s, Qt::CaseInsensitive));
    palette->close();
    ASSERT_TRUE(palette_is_gone());
    ASSERT_TRUE(wait_until([&] { return !window_->known_runs().empty(); }));
    palette = open_palette();
    QTest::keyClicks(child<QLineEdit>(palette, "paletteLine"), u"resnet"_s);
    QTest::keyClick(child<QLineEdit>(palette, "paletteLine"), Qt::Key_Return);
    ASSERT_TRUE(wait_until([&] { return window_->page() == MainWindow::Page::Live; }));
    EXPECT_EQ(window_->live_page()->shown()->state().name, "resnet-sweep");
}

TEST_F(Actions, EveryActionThatPressesAButtonFindsIt) {
    fill_store({{.id = "a"}});
    open();
    // Without a reason an action would be offered that does nothing.
    for (const auto& entry : registry()->entries()) {
        EXPECT_FALSE(entry.spec.group.isEmpty()) << ss(entry.spec.id);
        EXPECT_TRUE(entry.spec.run) << ss(entry.spec.id);
    }
    for (const char* button :
         {"openJob",     "saveJob",    "pasteJob",    "addNode",    "importNodes", "editNode",
          "removeNode",  "sshKey",     "leftovers",   "probeNode",  "probeAll",    "cancelProbes",
          "startButton", "doctorFull", "pauseButton", "stopButton", "againButton", "openRun",
          "againRun",    "labelRun",   "deleteRun",   "logsFiles"}) {
        EXPECT_NE(window_->findChild<QAbstractButton*>(QString::fromLatin1(button)), nullptr) << button;
    }
}

TEST_F(Actions, MenusDisableWhatCannotBeDoneAndSayWhy) {
    open();
    QMenu* nodes = nullptr;
    for (QAction* action : window_->menuBar()->actions()) {
        nodes = action->text() == u"&Nodes"_s ? action->menu() : nodes;
    }
    ASSERT_NE(nodes, nullptr);
    nodes->popup(window_->mapToGlobal(QPoint(100, 30)));
    QAction* edit = registry()->find(u"nodes.edit"_s)->action;
    EXPECT_FALSE(edit->isEnabled());
    EXPECT_TRUE(edit->toolTip().contains(u"not this computer"_s));
    EXPECT_TRUE(registry()->find(u"nodes.add"_s)->action->isEnabled());
    nodes->close();
    EXPECT_TRUE(wait_until([&] { return edit->isEnabled(); })) << "its shortcut says why";
    edit->trigger();
    auto* message = find<NoticeBar>("windowMessage");
    EXPECT_TRUE(message->isVisible());
    EXPECT_TRUE(message->text().contains(u"not this computer"_s));
    window_->show_page(MainWindow::Page::Launch);
    EXPECT_FALSE(message->isVisible());
}

TEST_F(Actions, NoTwoActionsShareKeys) {
    open();
    std::map<QString, std::vector<const QWidget*>> owners;  // by keys: where they hold
    for (const auto& entry : registry()->entries()) {
        if (!entry.keys().isEmpty()) {
            owners[entry.keys()].push_back(entry.spec.where);
        }
    }
    for (const auto& [keys, places] : owners) {
        for (std::size_t i = 0; i < places.size(); ++i) {
            for (std::size_t j = i + 1; j < places.size(); ++j) {
                EXPECT_TRUE(places[i] && places[j] && !places[i]->isAncestorOf(places[j]) &&
                            !places[j]->isAncestorOf(places[i]) && places[i] != places[j])
                    << ss(keys);
            }
        }
    }
    EXPECT_GE(owners.size(), 12U);
}

// Alt and a letter: a page's buttons and the menus above them.
TEST_F(Actions, MnemonicsOfAPageDoNotClashWithTheMenus) {
    fill_store({{.id = "a"}});
    open();
    std::map<QChar, QString> menus;
    const auto letter_of = [](const QString& text) {
        const auto keys = QKeySequence::mnemonic(text);
        return keys.isEmpty() ? QChar() : QChar(keys[0].key());
    };
    for (const QAction* action : window_->menuBar()->actions()) {
        menus[letter_of(action->text())] = action->text();
    }
    ASSERT_EQ(menus.size(), 6U);
    for (int page = 0; page < 6; ++page) {
        window_->show_page(MainWindow::Page(page));
        for (const auto* button :
             window_->page_widget(MainWindow::Page(page))->findChildren<QAbstractButton*>()) {
            const QChar letter = letter_of(button->text());
            EXPECT_FALSE(!letter.isNull() && button->isVisible() && menus.contains(letter))
                << ss(button->text()) << " and " << ss(menus[letter]);
        }
    }
}

TEST_F(Actions, ARunThatHasNotEndedIsOfferedOnEveryPage) {
    fill_store({{.name = "night-run", .id = "a", .until = 0.5, .fate = Fate::Running}});
    open();
    auto* bar = find<NoticeBar>("attachBar");
    for (int page = 0; page < 6; ++page) {
        window_->show_page(MainWindow::Page(page));
        ASSERT_TRUE(wait_until([&] { return bar->isVisible(); })) << page;
    }
    EXPECT_TRUE(bar->text().contains(u"night-run"_s)) << ss(bar->text());
    EXPECT_TRUE(window_->can_attach());
    click(find<QPushButton>("attachBarDismiss"));
    EXPECT_FALSE(bar->isVisible());
    EXPECT_TRUE(window_->can_attach()) << "the action stays";
}

TEST_F(Actions, ARankHasAMenuInTheTableAndInTheStrip) {
    open();
    LivePage* live = window_->live_page();
    live->show_stored(synthetic_data({.until = 0.5}));
    window_->show_page(MainWindow::Page::Live);
    auto* table = find<QTableView>("rankTable");
    ASSERT_TRUE(wait_until([&] { return table->model()->rowCount() == 4; }));
    table->selectRow(2);
    emit table->customContextMenuRequested(table->visualRect(table->model()->index(2, 0)).center());
    auto* menu = find<QMenu>("rankMenu");
    ASSERT_TRUE(wait_until([&] { return menu->isVisible(); }));
    menu->actions().first()->trigger();
    EXPECT_EQ(live->log()->shown_rank(), 2);
    menu->close();
    ASSERT_TRUE(wait_until([&] { return window_->findChild<QMenu*>(u"rankMenu"_s) == nullptr; }));
    auto* squares = window_->findChild<RankSquares*>();
    emit squares->customContextMenuRequested(squares->square(1).center());
    ASSERT_NE(window_->findChild<QMenu*>(u"rankMenu"_s), nullptr);
    EXPECT_EQ(table->currentIndex().row(), 1);
    find<QMenu>("rankMenu")->close();
}

TEST_F(Actions, TheWindowOpensAsItWas) {
    fill_store({{.id = "a"}, {.name = "second", .id = "b", .start_us = 1'770'000'000'000'000}});
    open();
    window_->restore_state();
    window_->show_page(MainWindow::Page::Runs);
    auto* table = find<QTableView>("runsTable");
    ASSERT_TRUE(wait_until([&] { return table->model()->rowCount() == 2; }));
    table->selectRow(1);
    table->setColumnWidth(2, 123);
    window_->close();
    open();
    window_->restore_state();
    EXPECT_EQ(window_->page(), MainWindow::Page::Runs);
    table = find<QTableView>("runsTable");
    EXPECT_EQ(table->columnWidth(2), 123);
    EXPECT_TRUE(wait_until([&] {
        const RunRecord* run = window_->runs_page()->selected();
        return run && run->run_id == "a";
    }));
}

}  // namespace
}  // namespace rankscope::gui::testing
