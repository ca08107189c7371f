// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <gui/fleet/import_dialog.h>
#include <gui/fleet/key_dialog.h>
#include <gui/fleet/leftovers_dialog.h>
#include <gui/fleet/node_dialog.h>
#include <gui/fleet/node_runs_dialog.h>
#include <remote/desk/nodes/session/session_pool.h>

#include <tests/gui/gui_test.h>

#include <QCheckBox>
#include <QComboBox>
#include <QDir>
#include <QFile>
#include <QLabel>
#include <QLineEdit>
#include <QPlainTextEdit>
#include <QProcess>
#include <QPushButton>
#include <QTableWidget>
#include <QTemporaryDir>

namespace rankscope::gui::testing {
namespace {

TEST(ImportDialog, ShowsWhatEachLineMeansAndAddsWhatIsTicked) {
    Inventory inventory;
    inventory.nodes.emplace_back().name = "old";
    ImportDialog dialog(inventory, nullptr);
    dialog.show();
    auto* add = child<QPushButton>(&dialog, "importAdd");
    auto* table = child<QTableWidget>(&dialog, "importTable");
    EXPECT_FALSE(add->isEnabled());
    child<QPlainTextEdit>(&dialog, "importText")
        ->setPlainText(u"old\ngpu1\ntrainer@gpu2:2222\none two three\nnode[1-2]\n"_s);
    ASSERT_TRUE(wait_until([&] { return table->rowCount() == 5; }));
    EXPECT_EQ(add->text(), u"&Add 4 nodes"_s);
    EXPECT_FALSE(table->item(0, 0)->flags() & Qt::ItemIsUserCheckable) << "it is there already";
    EXPECT_TRUE(table->item(0, 5)->text().contains(u"already"_s));
    EXPECT_EQ(table->item(2, 2)->text(), u"2222"_s);
    EXPECT_TRUE(child<QLabel>(&dialog, "importProblems")->text().contains(u"line 4: "_s));
    table->item(1, 0)->setCheckState(Qt::Unchecked);
    const auto nodes = dialog.nodes();
    ASSERT_EQ(nodes.size(), 3U);
    EXPECT_EQ(nodes[0].name, "gpu2");
    EXPECT_EQ(nodes[0].user, "trainer");
    EXPECT_EQ(nodes[2].name, "node2");
    EXPECT_EQ(add->text(), u"&Add 3 nodes"_s);
}

TEST(ImportDialog, OffersTheNodesThatThisComputerKnows) {
    const QTemporaryDir home;
    const QByteArray before = qgetenv("HOME");
    qputenv("HOME", home.path().toLocal8Bit());
    QDir(home.path()).mkdir(u".ssh"_s);
    QFile known(home.filePath(u".ssh/known_hosts"_s));
    ASSERT_TRUE(known.open(QIODevice::WriteOnly));
    known.write("gpu1,10.0.0.5 ssh-ed25519 AAAA\n[gpu2]:2222 ssh-ed25519 AAAA\n");
    known.close();
    ImportDialog dialog({}, nullptr);
    dialog.show();
    auto* table = child<QTableWidget>(&dialog, "importTable");
    EXPECT_TRUE(wait_until([&] { return table->rowCount() >= 2; }));
    qputenv("HOME", before);
    EXPECT_TRUE(dialog.nodes().empty()) << "the user chooses";
    auto* ready = child<QPushButton>(&dialog, "importSetUp");
    EXPECT_FALSE(ready->isEnabled());
    table->item(0, 0)->setCheckState(Qt::Checked);
    ASSERT_EQ(dialog.nodes().size(), 1U);
    EXPECT_EQ(dialog.nodes().front().name, "gpu1");
    auto* text = child<QPlainTextEdit>(&dialog, "importText");
    text->setPlainText(u"other\n"_s);
    EXPECT_TRUE(
        wait_until([&] { return dialog.nodes().size() == 1 && dialog.nodes().front().name == "other"; }));
    text->clear();
    EXPECT_TRUE(wait_until([&] { return table->rowCount() >= 2; })) << "they are offered again";
    table->item(1, 0)->setCheckState(Qt::Checked);
    ready->click();
    EXPECT_TRUE(dialog.set_up());
    EXPECT_EQ(dialog.result(), QDialog::Accepted);
}

TEST(NodeDialog, ShowsHowSshWouldConnectBeforeAnythingIsConnectedTo) {
    NodeDialog dialog(NodeSpec{}, {}, true, nullptr);
    dialog.show();
    auto* way = child<QLabel>(&dialog, "nodeWay");
    EXPECT_TRUE(way->text().isEmpty());
    type_into(child<QLineEdit>(&dialog, "nodeName"), u"node1"_s);
    type_into(child<QLineEdit>(&dialog, "nodeHost"), u"10.0.0.11"_s);
    type_into(child<QLineEdit>(&dialog, "nodeUser"), u"trainer"_s);
    type_into(child<QLineEdit>(&dialog, "nodePort"), u"2222"_s);
    type_into(child<QLineEdit>(&dialog, "nodeJump"), u"login"_s);
    EXPECT_TRUE(wait_until([&] {
        return way->text().contains(u"trainer@10.0.0.11:2222"_s) && way->text().contains(u"login"_s);
    })) << qPrintable(way->text());
    auto* transport = child<QComboBox>(&dialog, "nodeTransport");
    transport->setCurrentIndex(transport->findData(u"openssh"_s));
    EXPECT_TRUE(wait_until([&] { return way->text().contains(u"by OpenSSH"_s); })) << qPrintable(way->text());
    EXPECT_EQ(dialog.node().transport, "openssh");
    type_into(child<QLineEdit>(&dialog, "nodePort"), u"99999"_s);
    EXPECT_TRUE(way->text().isEmpty()) << "what is wrong is not resolved";
}

TEST(NodeDialog, KeepsTheTransportAsItWasWritten) {
    for (const char* transport : {"", "auto", "libssh", "openssh"}) {
        NodeSpec node;
        node.name = node.host = "node1";
        node.transport = transport;
        EXPECT_EQ(NodeDialog(node, {}, false, nullptr).node(), node) << transport;
    }
}

TEST(ImportDialog, ReadsAFileOrShowsTheReason) {
    const QTemporaryDir folder;
    const QString path = folder.filePath(u"config"_s);
    QFile file(path);
    ASSERT_TRUE(file.open(QIODevice::WriteOnly));
    file.write("Host login gpu-*\n  User me\n");
    file.close();
    ImportDialog dialog({}, nullptr);
    dialog.show();
    dialog.load(path);
    auto* table = child<QTableWidget>(&dialog, "importTable");
    ASSERT_TRUE(wait_until([&] { return table->rowCount() == 2; }));
    EXPECT_EQ(dialog.nodes().size(), 1U);
    EXPECT_TRUE(child<QLabel>(&dialog, "importFound")->text().contains(u"ssh_config"_s));
    dialog.load(folder.filePath(u"none"_s));
    EXPECT_TRUE(wait_until(
        [&] { return child<QLabel>(&dialog, "importProblems")->text().contains(u"cannot be read"_s); }));
}

NodeSpec unreachable(const std::string& name) {
    NodeSpec node;
    node.name = name;
    node.host = "no-such-host.invalid";
    return node;
}

TEST(KeyDialog, CreatesAKeyAndShowsWhyANodeRefusesIt) {
    const QTemporaryDir folder;
    KeyDialog dialog({local_node(), unreachable("gpu1"), unreachable("gpu2")}, {}, nullptr);
    dialog.show();
    auto* install = child<QPushButton>(&dialog, "keyInstall");
    auto* table = child<QTableWidget>(&dialog, "keyTable");
    EXPECT_EQ(table->rowCount(), 2) << "this computer needs no key";
    const QString key = folder.filePath(u"id_test"_s);
    type_into(child<QLineEdit>(&dialog, "keyFile"), key);
    EXPECT_EQ(install->text(), u"&Create key, install on 2 nodes"_s);
    type_into(child<QLineEdit>(&dialog, "keyPassphrase"), u"a"_s);
    EXPECT_FALSE(install->isEnabled()) << "typed once only";
    type_into(child<QLineEdit>(&dialog, "keyAgain"), u"a"_s);
    EXPECT_TRUE(install->isEnabled());
    table->item(1, 0)->setCheckState(Qt::Unchecked);
    click(install);
    EXPECT_TRUE(child<QLineEdit>(&dialog, "keyPassphrase")->text().isEmpty()) << "not kept";
    ASSERT_TRUE(wait_until([&] { return !dialog.busy(); }, 60000));
    EXPECT_TRUE(QFile::exists(key));
    EXPECT_TRUE(QFile::exists(key + u".pub"_s));
    EXPECT_TRUE(dialog.result_text(0).contains(u"not installed"_s)) << ss(dialog.result_text(0));
    EXPECT_TRUE(dialog.result_text(0).contains(u"cannot be resolved"_s)) << ss(dialog.result_text(0));
    EXPECT_EQ(dialog.result_text(1), u" "_s);
    EXPECT_TRUE(child<QLabel>(&dialog, "keyState")->text().startsWith(u"SHA256:"_s));
    EXPECT_EQ(install->text(), u"&Install on 1 nodes"_s) << "now it is there";
}

TEST(LeftoversDialog, EndsTheHolderOfAPortOnRequest) {
    QProcess holder;
    holder.start(u"python3"_s, {u"-c"_s,
                                u"import socket\ns = socket.create_server(('127.0.0.1', 0))\n"
                                u"print(s.getsockname()[1], flush=True)\ninput()"_s});
    if (!holder.waitForStarted()) {
        GTEST_SKIP() << "no python3 that could hold a port";
    }
    ASSERT_TRUE(holder.waitForReadyRead());
    const int port = holder.readAllStandardOutput().trimmed().toInt();
    LeftoversDialog dialog(local_node(), port, {}, std::make_shared<SessionPool>(), nullptr);
    dialog.show();
    auto* table = child<QTableWidget>(&dialog, "leftoversTable");
    auto* end = child<QPushButton>(&dialog, "leftoversEnd");
    EXPECT_FALSE(end->isEnabled()) << "the process is not known yet";
    ASSERT_TRUE(wait_until([&] { return !dialog.busy(); }, 60000));
    ASSERT_EQ(table->rowCount(), 1) << ss(child<QLabel>(&dialog, "leftoversProblem")->text());
    EXPECT_EQ(table->item(0, 1)->text(), QString::number(holder.processId()));
    EXPECT_TRUE(table->item(0, 5)->text().contains(u"python3"_s)) << ss(table->item(0, 5)->text());
    EXPECT_FALSE(child<QPushButton>(&dialog, "leftoversClean")->isEnabled()) << "it is of no run";
    click(end);
    EXPECT_EQ(holder.state(), QProcess::Running) << "not before it is confirmed";
    click(child<QPushButton>(&dialog, "endConfirm"));
    ASSERT_TRUE(wait_until([&] { return !dialog.busy() && table->rowCount() == 0; }, 60000));
    EXPECT_TRUE(wait_until([&] { return holder.state() == QProcess::NotRunning; }));
    EXPECT_TRUE(child<QLabel>(&dialog, "leftoversState")->text().contains(u"has ended"_s));
    EXPECT_FALSE(end->isEnabled());
}

TEST(LeftoversDialog, ShowsWhyANodeCannotBeAsked) {
    LeftoversDialog dialog(unreachable("gpu1"), 0, {}, nullptr, nullptr);
    dialog.show();
    ASSERT_TRUE(wait_until([&] { return !dialog.busy(); }, 60000));
    EXPECT_TRUE(child<QLabel>(&dialog, "leftoversProblem")->text().contains(u"cannot be resolved"_s));
    EXPECT_TRUE(child<QPushButton>(&dialog, "leftoversAgain")->isEnabled());
    EXPECT_FALSE(child<QPushButton>(&dialog, "leftoversClean")->isEnabled());
}

TEST(LeftoversDialog, DeletesPushedProgramsOnRequest) {
    const QTemporaryDir folder;
    qputenv("XDG_CACHE_HOME", folder.path().toUtf8());
    const QString pushed = folder.filePath(u"rankscope/bundles/0123"_s);
    ASSERT_TRUE(QDir().mkpath(pushed));
    LeftoversDialog dialog(local_node(), 0, {}, nullptr, nullptr);
    dialog.show();
    auto* clean = child<QPushButton>(&dialog, "leftoversClean");
    ASSERT_TRUE(wait_until([&] { return !dialog.busy(); }, 60000));
    ASSERT_TRUE(clean->isEnabled()) << ss(child<QLabel>(&dialog, "leftoversProblem")->text());
    for (const bool caches : {false, true}) {
        click(clean);
        auto* box = child<QDialog>(&dialog, "cleanDialog");
        child<QCheckBox>(box, "cleanCaches")->setChecked(caches);
        click(child<QPushButton>(box, "cleanConfirm"));
        ASSERT_TRUE(wait_until([&] { return !dialog.busy() && clean->isEnabled(); }, 60000));
        QCoreApplication::sendPostedEvents(nullptr, QEvent::DeferredDelete);
        EXPECT_EQ(QDir(pushed).exists(), !caches) << ss(child<QLabel>(&dialog, "leftoversState")->text());
    }
    qunsetenv("XDG_CACHE_HOME");
}

TEST(NodeRunsDialog, ShowsWhyANodeCannotBeAsked) {
    NodeRunsDialog dialog({{unreachable("gpu1"), unreachable("gpu2")}, {}, nullptr, nullptr}, nullptr);
    dialog.show();
    ASSERT_TRUE(wait_until([&] { return !dialog.busy(); }, 60000));
    const QString problem = child<QLabel>(&dialog, "nodeRunsProblem")->text();
    EXPECT_EQ(problem.count(u"cannot be resolved"_s), 2) << "of each node: " << ss(problem);
    EXPECT_TRUE(child<QPushButton>(&dialog, "nodeRunsAgain")->isEnabled());
    EXPECT_FALSE(child<QPushButton>(&dialog, "nodeRunsAttach")->isEnabled());
    EXPECT_FALSE(child<QPushButton>(&dialog, "nodeRunsStop")->isEnabled());
}

}  // namespace
}  // namespace rankscope::gui::testing
