// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <gui/app/main_window.h>
#include <gui/fleet/batch_node_dialog.h>
#include <gui/models/fleet_model.h>
#include <gui/session/workspace.h>
#include <gui/strings.h>
#include <gui/widgets/fitted_table.h>

#include <tests/gui/fleet_shots.h>
#include <tests/gui/synthetic_run.h>

#include <QComboBox>
#include <QDateTime>

namespace rankscope::gui::testing {

namespace {

/// GPUs as they are on a shared machine: free, used by others, slowed down, with memory errors.
NodeFacts facts_with_figures(const std::string& name, int gpus) {
    constexpr double kGib = 1024.0 * 1024 * 1024;
    NodeFacts facts = synthetic_facts(name, gpus);
    facts.probed_us = QDateTime::currentMSecsSinceEpoch() * 1000;
    facts.sample["cpu"] = 0.37;
    for (int gpu = 0; gpu < gpus; ++gpu) {
        const std::string key = "gpu." + std::to_string(gpu) + '.';
        const bool used = gpu % 3 == 1;
        facts.sample[key + "util"] = used ? 0.3 + 0.1 * (gpu % 7) : 0;
        facts.sample[key + "mem_used"] = (used ? 52 : 0.5) * kGib;
        facts.sample[key + "mem_total"] = 80 * kGib;
        facts.sample[key + "temp"] = used ? 66 : 38;
        facts.sample[key + "power"] = used ? 540 : 72;
    }
    if (gpus > 6) {
        facts.sample["gpu.5.ecc"] = 2;
    }
    return facts;
}

}  // namespace

void fleet_shots(MainWindow& window, const std::function<void(QWidget*, const char*)>& take) {
    FleetModel* model = window.workspace()->fleet()->model();
    window.show_page(MainWindow::Page::Fleet);
    take(&window, "fleet-not-probed");
    model->set_ready("local", synthetic_facts("desk", 0));
    model->set_ready("node1", facts_with_figures("node1", 8));
    model->set_connecting("node2", "pushing agent 40 %");
    model->set_failed(
        "node3",
        {"ssh-refused", "node3", "Connection refused at node3:22",
         "Start the SSH server there (systemctl start ssh), or correct host and port in the inventory.",
         "connect: Connection refused (111)"});
    const std::int64_t begin_us = QDateTime::currentMSecsSinceEpoch() * 1000 - 60'000'000;
    for (int second = 0; second < 60; ++second) {
        RunOnNode run;
        run.sample = model->find("node1")->facts->sample;
        for (int gpu = 0; gpu < 8; ++gpu) {
            run.sample["gpu." + std::to_string(gpu) + ".util"] =
                second % 20 < 4 ? 0.1 : 0.9 - second % 3 * 0.05;
        }
        run.sample_us = begin_us + second * 1'000'000;
        model->refresh(run.sample_us, {{"node1", run}});
    }
    auto* table = window.findChild<FittedTable*>(u"fleetTable"_s);
    table->fit();
    table->selectRow(1);
    take(&window, "fleet-facts");
    table->selectRow(3);
    take(&window, "fleet-failed");
    std::vector<NodeSpec> nodes;
    for (int i = 0; i < 64; ++i) {
        nodes.emplace_back().name = "gpu" + std::to_string(i);
        nodes.back().host = "10.0.3." + std::to_string(i);
    }
    nodes[3].gpus_auto = false;
    nodes[3].gpus = {0, 1, 2, 3};
    nodes[5].cpu_slots = 96;
    for (int i = 0; i < 64; ++i) {
        nodes[std::size_t(i)].group = i < 30 ? "rack 1" : i < 60 ? "rack 2, with the older switch" : "";
    }
    model->set_nodes(nodes);
    for (int i = 0; i < 64; ++i) {
        const std::string name = "gpu" + std::to_string(i);
        model->set_ready(name, facts_with_figures(name, i == 5 ? 0 : i == 7 ? 16 : 8));
    }
    table->selectRow(4);
    take(&window, "fleet-large");
    auto* group = window.findChild<QComboBox*>(u"fleetGroup"_s);
    group->setCurrentIndex(2);
    take(&window, "fleet-group");
    group->setCurrentIndex(0);
    BatchNodeDialog batch(nodes, &window);
    batch.show();
    take(&batch, "fleet-batch");
}

}  // namespace rankscope::gui::testing
