// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <gui/data/live_model.h>
#include <gui/nccl/folded_tab.h>
#include <gui/nccl/settings_tab.h>
#include <gui/strings.h>

#include <tests/gui/nccl_log_shots.h>
#include <tests/gui/synthetic_nccl.h>
#include <tests/gui/synthetic_run.h>

#include <QCoreApplication>
#include <QTreeView>

namespace rankscope::gui::testing {

void nccl_log_shots(QSize size, const std::function<void(QWidget*, const char*)>& take) {
    const auto log_shot = [&](const std::string& log, const char* name, bool last) {
        FoldedTab tab;
        tab.resize(size);
        tab.show();
        tab.set_snapshot(snapshot_of(log));
        auto* view = tab.findChild<QTreeView*>(u"ncclLog"_s);
        const int rows = view->model()->rowCount();
        view->setCurrentIndex(view->model()->index(last ? rows - 1 : std::min(3, rows - 1), 0));
        QCoreApplication::processEvents();
        take(&tab, name);
    };
    log_shot(nccl_log({}), "nccl-log-healthy", false);
    log_shot(odd_nccl_log(), "nccl-log-odd", false);
    log_shot(nccl_log({.nodes = 128, .gpus = 8, .channels = 4, .silent = {300}}), "nccl-log-1024", false);
    log_shot("epoch 1 loss 0.5\n", "nccl-log-empty", false);

    const auto settings_shot = [&](const std::string& log, LiveModel* model, const char* name, int row) {
        SettingsTab tab;
        tab.resize(size);
        tab.show();
        tab.set_run(model);
        tab.set_snapshot(snapshot_of(log));
        auto* view = tab.findChild<QTreeView*>(u"ncclSettings"_s);
        view->setCurrentIndex(view->model()->index(row, 0));
        QCoreApplication::processEvents();
        take(&tab, name);
    };
    LiveData data = synthetic_data({.ranks = 16, .gpus = 8});
    for (RankPlan& rank : data.state.plan.ranks) {
        rank.env["NCCL_SOCKET_IFNAM"] = "eth0";
        rank.env["NCCL_IB_TIMEOUT"] = "99";
        rank.env["NCCL_DEBUG"] = "INFO";
        rank.env["NCCL_ALGO"] = rank.rank == 3 ? "Tree" : "Ring";
        rank.env["NCCL_SOCKET_IFNAME"] = "=eth0";
        rank.env["TORCH_NCCL_ASYNC_ERROR_HANDLING"] = "1";
    }
    data.job_yaml =
        "name: x\nnodes: [local]\ncommand: [a]\nenv: { NCCL_SOCKET_IFNAM: eth0, NCCL_IB_TIMEOUT: '99', "
        "NCCL_DEBUG: INFO, "
        "NCCL_ALGO: Ring }\nrank_env: { 3: { NCCL_ALGO: Tree } }\n";
    LiveModel model;
    model.reset(std::move(data));
    const std::string variables =
        "node-0:100:100 [0] NCCL INFO NCCL version 2.20.5+cuda12.4\n"
        "node-0:100:100 [0] NCCL INFO NCCL_CROSS_NIC set by environment to 1.\n"
        "node-0:100:100 [0] NCCL INFO NCCL_DEBUG set by environment to INFO.\n"
        "node-0:100:100 [0] NCCL INFO NCCL_RAS_ENABLE set by environment to 0.\n";
    settings_shot(nccl_log({}) + variables, &model, "nccl-settings", 0);
    settings_shot(nccl_log({}) + variables, nullptr, "nccl-settings-log", 1);
    settings_shot(nccl_log({}), nullptr, "nccl-settings-empty", 0);
}

}  // namespace rankscope::gui::testing
