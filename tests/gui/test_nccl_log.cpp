// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <gui/data/live_model.h>
#include <gui/nccl/folded_model.h>
#include <gui/nccl/folded_tab.h>
#include <gui/nccl/settings_model.h>
#include <gui/nccl/settings_tab.h>
#include <gui/strings.h>

#include <tests/gui/gui_test.h>
#include <tests/gui/synthetic_nccl.h>
#include <tests/gui/synthetic_run.h>

#include <QAbstractItemModelTester>
#include <QCheckBox>
#include <QComboBox>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QSignalSpy>
#include <QTreeView>

namespace rankscope::gui::testing {
namespace {

class NcclLog : public ::testing::Test {
protected:
    void show(const std::string& log) {
        tab_.resize(1200, 700);
        tab_.show();
        tab_.set_snapshot(snapshot_of(log));
        view_ = child<QTreeView>(&tab_, "ncclLog");
    }
    QModelIndex row(const QString& part) const {
        for (int i = 0; i < view_->model()->rowCount(); ++i) {
            const QModelIndex line = view_->model()->index(i, FoldedModel::Line);
            if (line.data().toString().contains(part)) {
                return line.siblingAtColumn(0);
            }
        }
        ADD_FAILURE() << ss(part);
        return {};
    }
    QString ranks(const QString& part) const { return row(part).data().toString(); }
    QString note() { return child<QLabel>(&tab_, "ncclLogNote")->text(); }

    FoldedTab tab_;
    QTreeView* view_ = nullptr;
};

TEST_F(NcclLog, SameLineOfAllRanksIsOneRow) {
    show(nccl_log({}));
    const QAbstractItemModelTester tester(view_->model());
    EXPECT_EQ(ranks(u"Using network"_s), u"0–15"_s);
    EXPECT_EQ(view_->model()->rowCount(row(u"Using network"_s)), 0);
    EXPECT_TRUE(note().endsWith(u"no rank differs"_s)) << ss(note());
}

TEST_F(NcclLog, OddOneIsOpenMarkedAndLeadsToItsLine) {
    show(odd_nccl_log());
    const QModelIndex network = row(u"Using network"_s);
    EXPECT_FALSE(network.data(Qt::DecorationRole).isNull());
    EXPECT_TRUE(view_->isExpanded(network));
    const QModelIndex odd = view_->model()->index(0, FoldedModel::Line, network);
    EXPECT_EQ(odd.data().toString(), u"Socket instead of IB"_s);
    EXPECT_EQ(odd.siblingAtColumn(0).data().toString(), u"3"_s);
    EXPECT_EQ(view_->model()->index(0, FoldedModel::Line, row(u"Init COMPLETE"_s)).data().toString(),
              u"does not print this line"_s);
    QSignalSpy asked(&tab_, &NcclTab::lineRequested);
    view_->setCurrentIndex(odd.siblingAtColumn(0));
    click(child<QPushButton>(&tab_, "ncclLogOpen"));
    ASSERT_EQ(asked.count(), 1);
    const auto line = asked[0][1].toULongLong();
    const std::string log = odd_nccl_log();
    std::size_t at = 0;
    for (quint64 i = 1; i < line; ++i) {
        at = log.find('\n', at) + 1;
    }
    EXPECT_NE(log.substr(at, log.find('\n', at) - at).find("Using network Socket"), std::string::npos);
}

TEST_F(NcclLog, LinesAreExplained) {
    show(nccl_log({}));
    view_->setCurrentIndex(row(u"Using network"_s));
    EXPECT_TRUE(child<QLabel>(&tab_, "ncclLogMeaning")->text().contains(u"transport between nodes"_s));
    EXPECT_TRUE(row(u"Using network"_s)
                    .siblingAtColumn(1)
                    .data(Qt::ToolTipRole)
                    .toString()
                    .contains(u"transport between nodes"_s));
}

TEST_F(NcclLog, FiltersByEveryPart) {
    show(odd_nccl_log());
    const int all = view_->model()->rowCount();
    auto* text = child<QLineEdit>(&tab_, "ncclLogText");
    type_into(text, u"using NETWORK"_s);
    EXPECT_EQ(view_->model()->rowCount(), 1);
    type_into(text, {});
    auto* subsystem = child<QComboBox>(&tab_, "ncclLogSubsystem");
    subsystem->setCurrentIndex(subsystem->findData(u"BOOTSTRAP"_s));
    EXPECT_EQ(view_->model()->rowCount(), 1);
    subsystem->setCurrentIndex(0);
    auto* level = child<QComboBox>(&tab_, "ncclLogLevel");
    level->setCurrentIndex(1);
    EXPECT_EQ(view_->model()->rowCount(), 1);
    level->setCurrentIndex(0);
    auto* ranks = child<QLineEdit>(&tab_, "ncclLogRanks");
    type_into(ranks, u"x"_s);
    EXPECT_EQ(ranks->property("invalid").toString(), u"true"_s);
    EXPECT_EQ(view_->model()->rowCount(), all);
    type_into(ranks, u"5"_s);
    EXPECT_EQ(ranks->property("invalid").toString(), u"false"_s);
    EXPECT_LT(view_->model()->rowCount(), all);
    type_into(ranks, {});
    child<QCheckBox>(&tab_, "ncclLogOdd")->setChecked(true);
    EXPECT_GT(view_->model()->rowCount(), 0);
    EXPECT_LT(view_->model()->rowCount(), all);
    type_into(text, u"no such text"_s);
    EXPECT_EQ(note(), u"No line passes the filter."_s);
}

TEST_F(NcclLog, AThousandRanksAreAFewRows) {
    show(nccl_log({.nodes = 128, .gpus = 8, .channels = 4, .silent = {300}}));
    EXPECT_EQ(ranks(u"Using network"_s), u"0–299, 301–1023"_s);
    EXPECT_LT(view_->model()->rowCount(), 40);
    EXPECT_TRUE(note().endsWith(u"rank 300 printed nothing"_s)) << ss(note());
}

TEST_F(NcclLog, WithoutLinesNothingIsShown) {
    show("epoch 1\n");
    EXPECT_EQ(view_->model()->rowCount(), 0);
    EXPECT_FALSE(child<QPushButton>(&tab_, "ncclLogOpen")->isEnabled());
}

class NcclSettings : public ::testing::Test {
protected:
    void show(bool with_job) {
        LiveData data = synthetic_data({.ranks = 8, .gpus = 8});
        for (RankPlan& rank : data.state.plan.ranks) {
            rank.env["NCCL_SOCKET_IFNAM"] = "eth0";
            rank.env["NCCL_ALGO"] = rank.rank == 3 ? "Tree" : "Ring";
            rank.env["NCCL_IB_HCA"] = "mlx5";
        }
        data.state.node_settings[data.state.plan.ranks.front().node] = {
            {"NCCL_ALGO", "CollnetDirect", "environment"},
            {"NCCL_PROTO", "LL", "/home/trainer/.nccl.conf"},
            {"TORCH_NCCL_BLOCKING_WAIT", "1", "environment"}};
        data.job_yaml =
            with_job
                ? "name: x\nnodes: [local]\ncommand: [a]\nenv: { NCCL_SOCKET_IFNAM: eth0, NCCL_ALGO: Ring }\n"
                  "rank_env: { 3: { NCCL_ALGO: Tree } }\n"
                : "";
        model_.reset(std::move(data));
        tab_.resize(1200, 700);
        tab_.show();
        tab_.set_run(&model_);
        tab_.set_snapshot(
            snapshot_of("node-0:1:1 [0] NCCL INFO NCCL_CROSS_NIC set by environment to 1.\n"
                        "node-0:1:1 [0] NCCL INFO NCCL_IB_HCA set by environment to mlx5_9.\n"
                        "node-0:1:1 [0] NCCL INFO NCCL_CONF_FILE set by environment to /etc/x.conf\n"));
        view_ = child<QTreeView>(&tab_, "ncclSettings");
    }
    QModelIndex row(const QString& name) const {
        for (int i = 0; i < view_->model()->rowCount(); ++i) {
            if (view_->model()->index(i, 0).data().toString() == name) {
                return view_->model()->index(i, 0);
            }
        }
        ADD_FAILURE() << ss(name);
        return {};
    }

    LiveModel model_;
    SettingsTab tab_;
    QTreeView* view_ = nullptr;
};

TEST_F(NcclSettings, ValueOriginRanksAndMeaning) {
    show(true);
    const QAbstractItemModelTester tester(view_->model());
    const QModelIndex algo = row(u"NCCL_ALGO"_s);
    EXPECT_EQ(algo.siblingAtColumn(SettingsModel::Value).data().toString(), u"2 values"_s);
    ASSERT_EQ(view_->model()->rowCount(algo), 2);
    EXPECT_TRUE(view_->isExpanded(algo));
    const QModelIndex tree = view_->model()->index(1, SettingsModel::Value, algo);
    EXPECT_EQ(tree.data().toString(), u"Tree"_s);
    EXPECT_EQ(tree.siblingAtColumn(SettingsModel::Ranks).data().toString(), u"3"_s);
    EXPECT_EQ(tree.siblingAtColumn(SettingsModel::From).data().toString(), u"job (rank_env)"_s);
    const QModelIndex cross = row(u"NCCL_CROSS_NIC"_s);
    EXPECT_EQ(cross.siblingAtColumn(SettingsModel::From).data().toString(), u"environment or nccl.conf"_s);
    EXPECT_FALSE(cross.siblingAtColumn(SettingsModel::Meaning).data().toString().isEmpty());
    view_->setCurrentIndex(cross);
    EXPECT_TRUE(child<QLabel>(&tab_, "ncclSettingFacts")
                    ->text()
                    .contains(u"grep NCCL_CROSS_NIC ~/.nccl.conf /etc/nccl.conf"_s))
        << "how to find out which";
    EXPECT_EQ(row(u"NCCL_PROTO"_s).siblingAtColumn(SettingsModel::From).data().toString(),
              u"/home/trainer/.nccl.conf"_s);
    EXPECT_EQ(row(u"TORCH_NCCL_BLOCKING_WAIT"_s).siblingAtColumn(SettingsModel::From).data().toString(),
              u"environment of the node"_s)
        << "also what no line of NCCL names";
    EXPECT_EQ(row(u"NCCL_CONF_FILE"_s).siblingAtColumn(SettingsModel::From).data().toString(),
              u"environment"_s);
    const QModelIndex hca = row(u"NCCL_IB_HCA"_s);
    ASSERT_EQ(view_->model()->rowCount(hca), 2);
    EXPECT_EQ(view_->model()->index(0, SettingsModel::From, hca).data().toString(), u"Rankscope"_s);
    EXPECT_EQ(view_->model()->index(1, SettingsModel::From, hca).data().toString(), u"the program"_s)
        << "all ranks got another value, and that wins over files";
    QSignalSpy asked(&tab_, &NcclTab::lineRequested);
    emit view_->activated(cross);
    ASSERT_EQ(asked.count(), 1);
    EXPECT_EQ(asked[0][1].toULongLong(), 1U);
}

TEST_F(NcclSettings, MisspeltVariableIsNamedAndReplaced) {
    show(true);
    const QModelIndex wrong = row(u"NCCL_SOCKET_IFNAM"_s);
    EXPECT_TRUE(wrong.siblingAtColumn(SettingsModel::Meaning)
                    .data()
                    .toString()
                    .contains(u"Did you mean NCCL_SOCKET_IFNAME?"_s));
    view_->setCurrentIndex(wrong);
    EXPECT_EQ(child<QLineEdit>(&tab_, "ncclSettingName")->text(), u"NCCL_SOCKET_IFNAME"_s);
    std::map<std::string, std::string> keys;
    QObject::connect(&tab_, &NcclTab::jobRequested, &tab_,
                     [&](const std::map<std::string, std::string>& asked) { keys = asked; });
    click(child<QPushButton>(&tab_, "ncclSettingSet"));
    EXPECT_EQ(keys, (std::map<std::string, std::string>{{"env.NCCL_SOCKET_IFNAM", ""},
                                                        {"env.NCCL_SOCKET_IFNAME", "eth0"}}));
}

TEST_F(NcclSettings, AnyVariableCanBeSet) {
    show(false);
    auto* set = child<QPushButton>(&tab_, "ncclSettingSet");
    auto* problem = child<QLabel>(&tab_, "ncclSettingProblem");
    EXPECT_FALSE(set->isEnabled());
    type_into(child<QLineEdit>(&tab_, "ncclSettingName"), u"NCCL_IB_TIMEOUT"_s);
    type_into(child<QLineEdit>(&tab_, "ncclSettingValue"), u"99"_s);
    EXPECT_TRUE(problem->text().contains(u"0 to 31"_s));
    type_into(child<QLineEdit>(&tab_, "ncclSettingValue"), u"22"_s);
    EXPECT_FALSE(problem->isVisible());
    std::map<std::string, std::string> keys;
    QObject::connect(&tab_, &NcclTab::jobRequested, &tab_,
                     [&](const std::map<std::string, std::string>& asked) { keys = asked; });
    click(set);
    EXPECT_EQ(keys.size(), 1U);
    EXPECT_TRUE(keys.contains("env.NCCL_IB_TIMEOUT"));
}

}  // namespace
}  // namespace rankscope::gui::testing
