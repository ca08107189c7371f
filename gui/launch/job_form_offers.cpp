// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

// Values that JobForm offers for fields of text, and its environment as a table.

#include <gui/launch/env_dialog.h>
#include <gui/launch/job_form.h>
#include <gui/launch/key_offers.h>
#include <gui/launch/key_rows.h>
#include <gui/strings.h>
#include <remote/desk/shared/yaml_write.h>

#include <QComboBox>

namespace rankscope::gui {

std::vector<KeyOffer> JobForm::offers_of(const std::string& key) const {
    if (key == "dataset.augment") {
        return augment_offers(dataset_ == nullptr ? std::string() : ss(dataset_->currentText()));
    }
    if (key == "dataset.normalize") {
        return normalize_offers();
    }
    if (key != "interface") {
        return {};
    }
    std::vector<std::pair<std::string, NodeFacts>> nodes;
    for (const std::string& name : chosen_) {
        const FleetNode* node = fleet_ == nullptr ? nullptr : fleet_->find(name);
        if (node != nullptr && node->facts) {
            nodes.emplace_back(name, *node->facts);
        }
    }
    return interface_offers(nodes);
}

void JobForm::edit_environment() {
    const Job job = checked().job;
    auto* dialog =
        new EnvDialog({job.env, job.node_env, job.rank_env},
                      launcher().chooses_nodes ? std::vector<std::string>() : chosen_, ranks_, this);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    connect(dialog, &QDialog::accepted, this, [this, dialog] {
        const JobEnvironment given = dialog->environment();
        std::map<std::string, Variables> ranks;
        for (const auto& [rank, variables] : given.ranks) {
            ranks[std::to_string(rank)] = variables;
        }
        rows_->set_text("env", given.all.empty() ? QString() : qs(yaml_flow(given.all)));
        rows_->set_text("node_env", given.nodes.empty() ? QString() : qs(yaml_flow(given.nodes)));
        rows_->set_text("rank_env", ranks.empty() ? QString() : qs(yaml_flow(ranks)));
    });
    dialog->open();
}

}  // namespace rankscope::gui
