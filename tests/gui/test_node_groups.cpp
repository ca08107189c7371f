// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

// Groups of nodes: set, filtered by, chosen for a run.

#include <gui/fleet/node_dialog.h>
#include <gui/launch/launch_page.h>
#include <gui/models/fleet_model.h>
#include <gui/models/node_use.h>

#include <tests/gui/pages_fixture.h>

#include <QComboBox>
#include <QCompleter>
#include <QLineEdit>
#include <QListWidget>
#include <QMenu>
#include <QTableView>

namespace rankscope::gui::testing {
namespace {

class Groups : public Pages {
protected:
    void open_grouped() {
        write(inventory_file(),
              "nodes:\n  - { name: node1, group: rack 1, cpu_slots: 1 }\n  - { name: node2, group: R&D, "
              "cpu_slots: 1 }\n"
              "  - { name: node3, group: rack 1, cpu_slots: 1 }\n  - name: node4\n");
        open();
        window_->show_page(MainWindow::Page::Fleet);
    }
    int shown_rows() {
        auto* table = find<QTableView>("fleetTable");
        int shown = 0;
        for (int row = 0; row < table->model()->rowCount(); ++row) {
            shown += table->isRowHidden(row) ? 0 : 1;
        }
        return shown;
    }
    Fleet* fleet() { return window_->workspace()->fleet(); }
};

TEST_F(Groups, AreNotShownWhereThereAreNone) {
    write(inventory_file(), "nodes:\n  - name: node1\n");
    open();
    window_->show_page(MainWindow::Page::Fleet);
    EXPECT_FALSE(find<QComboBox>("fleetGroup")->isVisible());
    EXPECT_TRUE(find<QTableView>("fleetTable")->isColumnHidden(FleetModel::Group));
    window_->show_page(MainWindow::Page::Launch);
    EXPECT_FALSE(find<QPushButton>("launchGroup")->isVisible());
}

TEST_F(Groups, FilterTheFleet) {
    open_grouped();
    auto* filter = find<QComboBox>("fleetGroup");
    auto* table = find<QTableView>("fleetTable");
    ASSERT_TRUE(filter->isVisible());
    ASSERT_EQ(filter->count(), 4) << "all, two groups, without a group";
    EXPECT_FALSE(table->isColumnHidden(FleetModel::Group));
    EXPECT_EQ(table->model()->index(2, FleetModel::Group).data().toString(), u"R&D"_s);
    EXPECT_EQ(shown_rows(), 5);
    table->selectRow(2);
    filter->setCurrentIndex(filter->findData(u"rack 1"_s));
    EXPECT_EQ(shown_rows(), 2);
    EXPECT_TRUE(find<QLabel>("fleetSummary")->text().startsWith(u"2 of 5 nodes"_s));
    EXPECT_EQ(table->currentIndex().row(), 1) << "a hidden row is not selected";
    table->setFocus();
    table->selectAll();
    EXPECT_TRUE(find<QLabel>("fleetSummary")->text().contains(u"2 selected"_s))
        << qPrintable(find<QLabel>("fleetSummary")->text());
    filter->setCurrentIndex(3);
    EXPECT_EQ(shown_rows(), 2) << "this computer and node4";
}

TEST_F(Groups, AreSetForSeveralNodesAtOnce) {
    open_grouped();
    auto* filter = find<QComboBox>("fleetGroup");
    auto* table = find<QTableView>("fleetTable");
    filter->setCurrentIndex(filter->findData(u"rack 1"_s));
    table->setFocus();
    table->selectAll();
    click(find<QPushButton>("editNode"));
    auto* dialog = wait_dialog("batchNodeDialog");
    ASSERT_NE(dialog, nullptr);
    EXPECT_EQ(child<QLineEdit>(dialog, "batchGroup")->text(), u"rack 1"_s);
    type_into(child<QLineEdit>(dialog, "batchGroup"), QString(65, u'x'));
    EXPECT_FALSE(child<QPushButton>(dialog, "batchOk")->isEnabled()) << "too long";
    child<QLineEdit>(dialog, "batchGroup")->setText(u"机架 2"_s);
    click(child<QPushButton>(dialog, "batchOk"));
    ASSERT_TRUE(wait_until(
        [&] { return !fleet()->busy() && fleet()->inventory().find("node3")->group == "机架 2"; }));
    EXPECT_EQ(fleet()->inventory().find("node1")->group, "机架 2");
    EXPECT_EQ(fleet()->inventory().find("node2")->group, "R&D");
    EXPECT_EQ(filter->currentIndex(), 0) << "the group that was shown is gone";
    EXPECT_EQ(shown_rows(), 5);
}

TEST_F(Groups, LaunchTicksTheNodesOfAGroup) {
    open_grouped();
    window_->show_page(MainWindow::Page::Launch);
    auto* nodes = find<QListWidget>("launchNodes");
    auto* button = find<QPushButton>("launchGroup");
    ASSERT_TRUE(button->isVisible());
    auto* menu = child<QMenu>(button, "launchGroups");
    emit menu->aboutToShow();
    ASSERT_EQ(menu->actions().size(), 2);
    EXPECT_EQ(menu->actions()[0]->text(), u"R&&D: 1 node"_s);
    EXPECT_EQ(menu->actions()[1]->text(), u"rack 1: 2 nodes"_s);
    menu->actions()[1]->trigger();
    QStringList ticked;
    for (int row = 0; row < nodes->count(); ++row) {
        if (nodes->item(row)->checkState() == Qt::Checked) {
            ticked += nodes->item(row)->data(Qt::UserRole).toString();
        }
    }
    EXPECT_EQ(ticked, (QStringList{u"node1"_s, u"node3"_s}));
    EXPECT_EQ(window_->launch_page()->job().nodes, (std::vector<std::string>{"node1", "node3"}));
    auto* plan = find<QTableView>("planTable");
    EXPECT_TRUE(wait_until([&] { return plan->model()->rowCount() == 2; }));
}

TEST(NodeDialog, HasTheGroup) {
    NodeSpec node = node_called("node1");
    node.group = "rack 1";
    NodeDialog dialog(node, {}, false, nullptr);
    dialog.offer_groups({u"rack 1"_s, u"rack 2"_s});
    dialog.show();
    auto* group = child<QLineEdit>(&dialog, "nodeGroup");
    EXPECT_EQ(group->text(), u"rack 1"_s);
    EXPECT_NE(group->completer(), nullptr);
    type_into(group, u" rack 2 "_s);
    EXPECT_EQ(dialog.node().group, "rack 2") << "without the blanks around it";
    type_into(group, QString(65, u'x'));
    EXPECT_FALSE(child<QPushButton>(&dialog, "nodeOk")->isEnabled());
    type_into(group, QString());
    EXPECT_EQ(dialog.node().group, "");
}

TEST(SlotAges, EachSquareSaysHowOldItsFiguresAreOrWhyThereAreNone) {
    FleetModel model;
    model.set_nodes({node_called("node1")});
    const std::int64_t now = 1'760'000'000'000'000;
    model.refresh(now);
    const QModelIndex cell = model.index(1, FleetModel::Slots);
    const auto age = [&] { return cell.data(FleetModel::AgeRole).toString(); };
    EXPECT_TRUE(age().contains(u"was not probed"_s));
    NodeFacts facts = synthetic_facts("node1", 2);
    facts.sample["gpu.0.util"] = 0;
    facts.probed_us = now - 12'000'000;
    model.set_old_facts({{"node1", facts}});
    EXPECT_TRUE(age().contains(u"earlier session"_s));
    model.set_ready("node1", facts);
    EXPECT_EQ(age(), u"As of 12 s ago"_s);
    EXPECT_TRUE(cell.data(Qt::ToolTipRole).toString().endsWith(u"As of 12 s ago"_s));
    model.set_failed("node1", {"ssh-refused", "node1", "Connection refused", "Start it", ""});
    EXPECT_TRUE(age().contains(u"last probe failed"_s));
    EXPECT_EQ(model.nodes()[1].devices()[0].state, DeviceSlot::State::Unknown);
}

}  // namespace
}  // namespace rankscope::gui::testing
