// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

// A user who has never used ssh probes four unknown machines: host keys in one dialog, then one password after
// the other, in the real window. Runs at the desk of a virtual cluster (tests/cluster/vcluster.py run --nodes 4
// -- e2e_questions).

#include <gui/app/main_window.h>
#include <gui/models/fleet_model.h>
#include <gui/prompts/secret_dialog.h>
#include <gui/session/workspace.h>

#include <nlohmann/json.hpp>
#include <tests/gui/gui_test.h>

#include <QDialog>
#include <QFile>
#include <QFileInfo>
#include <QLineEdit>
#include <QPushButton>
#include <QTableWidget>
#include <QTemporaryDir>
#include <fstream>

namespace rankscope::gui::testing {
namespace {

constexpr int kConnectMs = 120'000;

TEST(FreshUser, TrustsFourHostsAtOnceAndTypesOnePasswordAfterTheOther) {
    std::ifstream file(qEnvironmentVariable("RANKSCOPE_TEST_CLUSTER").toStdString());
    const auto cluster = nlohmann::json::parse(file);
    const QString password = qs(cluster.at("password").get<std::string>());
    const QTemporaryDir folder;
    // As if there were no ~/.ssh: its files are elsewhere, and no key is offered.
    const QString known = folder.filePath(u".ssh/known_hosts"_s);
    const QString config = qs(cluster.at("ssh_config").get<std::string>());
    QFile ssh_config(config);
    ASSERT_TRUE(ssh_config.open(QIODevice::WriteOnly));
    ssh_config.write("Host *\n  PubkeyAuthentication no\n  UserKnownHostsFile " + known.toUtf8() + "\n");
    ssh_config.close();
    Options options = options_in(folder.path());
    Inventory inventory;
    for (const auto& node : cluster.at("nodes")) {
        NodeSpec& spec = inventory.nodes.emplace_back();
        spec.name = node.at("name").get<std::string>();
        spec.host = node.at("address").get<std::string>();
        spec.user = "trainer";
    }
    ASSERT_EQ(inventory.nodes.size(), 4U);
    ASSERT_TRUE(write_inventory(inventory, options.inventory_file));
    MainWindow window(options);
    window.resize(1280, 800);
    window.show();
    Fleet* fleet = window.workspace()->fleet();
    ASSERT_TRUE(wait_until([&] { return fleet->loaded() && window.workspace()->store_settled(); }));
    const auto most_dialogs = [&] {
        int visible = 0;
        for (QDialog* dialog : window.findChildren<QDialog*>()) {
            visible += dialog->isVisible() ? 1 : 0;
        }
        return visible;
    };
    click(child<QPushButton>(&window, "probeAll"));
    QTableWidget* keys = nullptr;
    QPushButton* accept = nullptr;
    ASSERT_TRUE(wait_until(
        [&] {
            EXPECT_LE(most_dialogs(), 1);
            keys = window.findChild<QTableWidget*>(u"hostKeyTable"_s);
            accept = window.findChild<QPushButton*>(u"hostKeyAccept"_s);
            return keys && keys->rowCount() == 4 && accept->isEnabled();
        },
        kConnectMs))
        << "the four unknown hosts are in one list";
    EXPECT_EQ(accept->text(), u"&Trust 4 selected and connect"_s);
    click(accept);

    int typed = 0;
    const auto ready = [&] {
        int count = 0;
        for (const NodeSpec& spec : inventory.nodes) {
            const FleetNode* node = fleet->model()->find(spec.name);
            EXPECT_NE(node->state, ProbeState::Failed) << node->failure.what << ' ' << node->failure.detail;
            count += node->state == ProbeState::Ready ? 1 : 0;
        }
        return count;
    };
    ASSERT_TRUE(wait_until(
        [&] {
            EXPECT_LE(most_dialogs(), 1);
            auto* dialog = window.findChild<SecretDialog*>();
            if (dialog && dialog->isVisible() && dialog->ready()) {
                auto* edit = child<QLineEdit>(dialog, "secretEdit");
                QTest::keyClicks(edit, password);
                QTest::keyClick(edit, Qt::Key_Return);
                ++typed;
            }
            return ready() == 4 || ::testing::Test::HasFailure();
        },
        kConnectMs));
    EXPECT_EQ(ready(), 4);
    EXPECT_EQ(typed, 4);

    QFile written(known);
    ASSERT_TRUE(written.open(QIODevice::ReadOnly));
    EXPECT_EQ(written.readAll().count('\n'), 4);
    EXPECT_EQ(QFileInfo(QFileInfo(known).path()).permissions() & (QFile::ReadGroup | QFile::ReadOther), 0);
}

}  // namespace
}  // namespace rankscope::gui::testing
