// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

// The main window and Fleet: sizes, keys, screen readers.

#include <nlohmann/json.hpp>
#include <tests/gui/pages_fixture.h>
#include <tests/gui/window_contents.h>

#include <QAbstractItemView>
#include <QAccessible>
#include <QClipboard>
#include <QComboBox>
#include <QDialog>
#include <QGuiApplication>
#include <QLabel>
#include <QLineEdit>
#include <QMessageBox>
#include <QPushButton>
#include <QTableView>
#include <QTemporaryDir>
#include <QTextEdit>
#include <QToolButton>

namespace rankscope::gui::testing {
namespace {

class Window : public Pages {
protected:
    void open() { Pages::open(options_); }

    Options options_ = options_in(folder_.path());
};

TEST_F(Window, PageButtonsAreTabsForScreenReaders) {
    open();
    for (const char* name : {"navFleet", "navLaunch", "navDoctor", "navLive", "navRuns", "navLogs"}) {
        auto* button = find<QToolButton>(name);
        QAccessibleInterface* accessible = QAccessible::queryAccessibleInterface(button);
        ASSERT_NE(accessible, nullptr);
        EXPECT_EQ(accessible->role(), QAccessible::PageTab);
        EXPECT_EQ(accessible->text(QAccessible::Name), button->text());
        EXPECT_EQ(bool(accessible->state().selected), button->isChecked());
        accessible->actionInterface()->doAction(QAccessibleActionInterface::pressAction());
        EXPECT_TRUE(accessible->state().selected);
    }
    EXPECT_EQ(window_->page(), MainWindow::Page::Logs);
}

TEST_F(Window, PicturesOfTheDocsShowItsPagesAndMenus) {
    open();
    std::ifstream file(RANKSCOPE_SOURCE_DIR "/docs/images/manifest.json");
    const auto pictured = nlohmann::ordered_json::parse(file);
    EXPECT_EQ(pictured, window_contents(*window_)) << "the pictures are old: docs/screenshots/make";
}

TEST_F(Window, ComboBoxesAreNamedByWhatTheyAreFor) {
    open();
    const auto boxes = window_->findChildren<QComboBox*>();
    EXPECT_GE(boxes.size(), 6);
    for (QComboBox* box : boxes) {
        QAccessibleInterface* accessible = QAccessible::queryAccessibleInterface(box);
        ASSERT_NE(accessible, nullptr);
        const std::string where = ss(box->objectName());
        EXPECT_EQ(accessible->role(), QAccessible::ComboBox) << where;
        EXPECT_FALSE(accessible->text(QAccessible::Name).isEmpty()) << where;
        EXPECT_NE(accessible->text(QAccessible::Name), box->currentText()) << where;
        EXPECT_EQ(accessible->text(QAccessible::Value), box->currentText()) << where;
    }
    auto* model = find<QComboBox>("launchModel");
    QAccessibleInterface* accessible = QAccessible::queryAccessibleInterface(model);
    EXPECT_EQ(accessible->text(QAccessible::Name), u"Model"_s);
    window_->show_page(MainWindow::Page::Launch);
    accessible->actionInterface()->doAction(QAccessibleActionInterface::showMenuAction());
    EXPECT_TRUE(wait_until([&] { return model->view()->isVisible(); }));
    EXPECT_TRUE(accessible->state().expanded);
    model->hidePopup();
}

TEST_F(Window, TheFirstWindowFitsItsScreenWithTheFrame) {
    for (const QSize room : {QSize(1280, 800), QSize(1024, 640), QSize(1366, 768)}) {
        const QSize size = first_window_size(room);
        EXPECT_LE(size.width(), room.width() - 4);
        EXPECT_LE(size.height(), room.height() - 30) << "a title bar";
    }
    EXPECT_EQ(first_window_size({1920, 1080}), QSize(1280, 800));
}

TEST_F(Window, EnterOnANodeOpensIt) {
    Inventory inventory;
    NodeSpec& node = inventory.nodes.emplace_back();
    node.name = node.host = "node1";
    ASSERT_TRUE(write_inventory(inventory, options_.inventory_file).ok());
    open();
    auto* table = find<QTableView>("fleetTable");
    window_->activateWindow();
    table->setFocus();
    ASSERT_TRUE(wait_until([&] { return table->hasFocus(); }));
    table->selectRow(0);
    QTest::keyClick(table, Qt::Key_Return);
    EXPECT_EQ(window_->findChild<QDialog*>(u"nodeDialog"_s), nullptr) << "this computer has no settings";
    table->selectRow(1);
    QTest::keyClick(table, Qt::Key_Return);
    QDialog* dialog = wait_dialog("nodeDialog");
    EXPECT_EQ(child<QLineEdit>(dialog, "nodeName")->text(), u"node1"_s);
    dialog->reject();
}

TEST_F(Window, FactsAreAGridWithTheirAge) {
    open();
    NodeFacts facts = synthetic_facts("desk", 2);
    facts.probed_us = window_->workspace()->fleet()->model()->now_us();
    window_->workspace()->fleet()->model()->set_ready("local", facts);
    auto* view = find<QTextEdit>("nodeFacts");
    EXPECT_TRUE(view->toHtml().contains(u"<table"_s));
    EXPECT_TRUE(view->toPlainText().contains(u"NVIDIA H100"_s));
    click(find<QPushButton>("detailsCopy"));
    EXPECT_TRUE(QGuiApplication::clipboard()->text().contains(u"Host name\tdesk\n"_s))
        << ss(QGuiApplication::clipboard()->text());
}

TEST_F(Window, NodesAreAddedEditedAndRemovedInTheFile) {
    open();
    auto* table = find<QTableView>("fleetTable");
    EXPECT_EQ(table->model()->rowCount(), 1);

    click(find<QPushButton>("addNode"));
    QDialog* dialog = wait_dialog("nodeDialog");
    auto* ok = child<QPushButton>(dialog, "nodeOk");
    EXPECT_FALSE(ok->isEnabled());
    type_into(child<QLineEdit>(dialog, "nodeName"), u"node 1"_s);
    EXPECT_FALSE(ok->isEnabled());
    EXPECT_FALSE(child<QLabel>(dialog, "nodeNameError")->text().isEmpty());
    type_into(child<QLineEdit>(dialog, "nodeName"), u"node1"_s);
    type_into(child<QLineEdit>(dialog, "nodeHost"), u"10.0.0.11"_s);
    type_into(child<QLineEdit>(dialog, "nodePort"), u"99999"_s);
    EXPECT_FALSE(ok->isEnabled());
    type_into(child<QLineEdit>(dialog, "nodePort"), u"2222"_s);
    type_into(child<QLineEdit>(dialog, "nodeGpus"), u"0, 2"_s);
    ASSERT_TRUE(ok->isEnabled());
    click(ok);
    ASSERT_TRUE(wait_until([&] { return table->model()->rowCount() == 2; }));
    Inventory read = read_inventory(options_.inventory_file, true).inventory;
    ASSERT_EQ(read.nodes.size(), 1U);
    EXPECT_EQ(read.nodes[0].name, "node1");
    EXPECT_EQ(read.nodes[0].host, "10.0.0.11");
    EXPECT_EQ(read.nodes[0].port, 2222);
    EXPECT_EQ(read.nodes[0].gpus, (std::vector<int>{0, 2}));

    // Another program writes the file meanwhile: its node survives our edit.
    NodeSpec& theirs = read.nodes.emplace_back();
    theirs.name = theirs.host = "theirs";
    ASSERT_TRUE(write_inventory(read, options_.inventory_file).ok());
    click(find<QPushButton>("editNode"));
    dialog = wait_dialog("nodeDialog");
    type_into(child<QLineEdit>(dialog, "nodeUser"), u"trainer"_s);
    click(child<QPushButton>(dialog, "nodeOk"));
    ASSERT_TRUE(wait_until([&] { return table->model()->rowCount() == 3; }));
    read = read_inventory(options_.inventory_file, true).inventory;
    ASSERT_EQ(read.nodes.size(), 2U);
    EXPECT_EQ(read.find("node1")->user, "trainer");
    EXPECT_NE(read.find("theirs"), nullptr);

    table->selectRow(1);
    click(find<QPushButton>("removeNode"));
    QDialog* ask = wait_dialog("removeDialog");
    click(child<QPushButton>(ask, "removeConfirm"));
    ASSERT_TRUE(wait_until([&] { return table->model()->rowCount() == 2; }));
    read = read_inventory(options_.inventory_file, true).inventory;
    ASSERT_EQ(read.nodes.size(), 1U);
    EXPECT_EQ(read.nodes[0].name, "theirs");
}

}  // namespace
}  // namespace rankscope::gui::testing
