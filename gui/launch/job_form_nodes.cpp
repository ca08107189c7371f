// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

// The list of nodes of JobForm: those of a run, or the one that it is submitted on.

#include <gui/launch/gpu_picker.h>
#include <gui/launch/job_form.h>
#include <gui/launch/key_rows.h>
#include <gui/on_thread.h>
#include <gui/plain_text.h>
#include <gui/strings.h>
#include <gui/style/glyphs.h>
#include <gui/widgets/field_form.h>
#include <gui/widgets/layout_helpers.h>

#include <QComboBox>
#include <QListWidget>
#include <QMenu>
#include <QPushButton>
#include <algorithm>
#include <map>
#include <utility>

namespace rankscope::gui {

namespace {

constexpr int kShownNodes = 6;

}  // namespace

void JobForm::launcher_changed() {
    if (launcher().chooses_nodes && submit_node_.empty() && !chosen_.empty()) {
        submit_node_ = chosen_.front();
    }
    show_rows();
    if (!filling_) {
        filling_ = true;
        fill_nodes();
        filling_ = false;
        emit changed();
    }
}

void JobForm::set_fleet(const FleetModel& fleet) {
    RANKSCOPE_CHECK(on_thread_of(this), return );
    fleet_ = &fleet;
    filling_ = true;
    if (all_nodes_) {
        chosen_.clear();
        for (const FleetNode& node : fleet.nodes()) {
            if (!node.spec.local) {
                chosen_.push_back(node.spec.name);
            }
        }
    }
    fill_nodes();
    filling_ = false;
    show_key_rows();
    emit changed();
}

void JobForm::fill_nodes() {
    if (!fleet_) {
        return;
    }
    const ThemeColors colors = theme_colors(palette());
    const int current = nodes_->currentRow();
    nodes_->clear();
    const auto add = [this](const std::string& name, const QString& text, const QIcon& icon) {
        auto* item = new QListWidgetItem(icon, text, nodes_);
        item->setData(Qt::UserRole, qs(name));
        item->setToolTip(plain_text(text));
        item->setFlags(Qt::ItemIsEnabled | Qt::ItemIsSelectable | Qt::ItemIsUserCheckable);
        const bool on = launcher().chooses_nodes
                            ? name == submit_node_
                            : std::find(chosen_.begin(), chosen_.end(), name) != chosen_.end();
        item->setCheckState(on ? Qt::Checked : Qt::Unchecked);
    };
    for (const FleetNode& node : fleet_->nodes()) {
        add(node.spec.name, tr("%1 — %2").arg(node_title(node.spec), devices_text(node)),
            probe_icon(node.state, colors));
    }
    std::vector<std::string> named = chosen_;
    if (launcher().chooses_nodes) {
        named = submit_node_.empty() ? std::vector<std::string>() : std::vector<std::string>{submit_node_};
    }
    for (const std::string& name : named) {
        if (!fleet_->find(name)) {
            add(name, tr("%1 — not in the inventory").arg(qs(name)), probe_icon(ProbeState::Failed, colors));
        }
    }
    nodes_->setCurrentRow(std::max(current, 0));
    fit_nodes();
    form_->set_row_visible("group", !launcher().chooses_nodes && !fleet_->groups().empty());
}

QPushButton* JobForm::make_group_button() {
    QPushButton* button = make_button(tr("All nodes of a group"), "launchGroup", this);
    button->setToolTip(tr("Ticks the nodes of a group of the fleet, and no others"));
    auto* menu = new QMenu(button);
    menu->setObjectName(u"launchGroups"_s);
    button->setMenu(menu);
    connect(menu, &QMenu::aboutToShow, this, [this, menu] { fill_groups(menu); });
    return button;
}

void JobForm::fill_groups(QMenu* menu) {
    menu->clear();
    for (const auto& [group, count] : fleet_ ? fleet_->groups() : std::map<std::string, int>()) {
        // An ampersand of the name is no mnemonic.
        const QString name = QString(qs(group)).replace(u'&', u"&&"_s);
        const QString text =
            count == 1 ? tr("%1: 1 node").arg(name) : tr("%1: %2 nodes").arg(name).arg(count);
        menu->addAction(text, this, [this, group = group] { choose_group(group); });
    }
}

void JobForm::choose_group(const std::string& group) {
    all_nodes_ = false;
    chosen_.clear();
    for (const FleetNode& node : fleet_->nodes()) {
        if (node.spec.group == group) {
            chosen_.push_back(node.spec.name);
        }
    }
    filling_ = true;
    fill_nodes();
    filling_ = false;
    show_key_rows();
    emit changed();
}

// What the chosen nodes offer; where Slurm chooses them, nothing is known.
void JobForm::show_offers(const Job& job) {
    ComputeOffers offers;
    if (fleet_ && !launcher().chooses_nodes) {
        std::vector<NodeSpec> nodes;
        for (const std::string& name : chosen_) {
            if (const FleetNode* node = fleet_->find(name)) {
                nodes.push_back(node->spec);
            }
        }
        offers = compute_offers(nodes, job, fleet_->known_facts(), engine_);
    }
    const bool known = !offers.device.empty() && !chosen_.empty();
    const bool gpus = offers.device == "cuda";
    const bool filling = std::exchange(filling_, true);
    rows_->set_offers("device", offers.devices, {{u"cuda"_s, tr("GPU")}, {u"cpu"_s, tr("CPU")}},
                      !known ? QString()
                      : gpus ? tr("GPU")
                             : tr("CPU"));
    rows_->set_offers("backend", offers.backends, {},
                      known && job.train ? gpus ? u"nccl"_s : u"gloo"_s : QString());
    rows_->set_offers("precision", offers.precisions, {}, QString());
    filling_ = filling;
}

// The squares of nodes whose GPUs the last probe found.
void JobForm::show_gpus(const Job& job) {
    std::vector<GpuPicker::Node> nodes;
    if (fleet_ && !launcher().chooses_nodes) {
        for (const std::string& name : chosen_) {
            const FleetNode* node = fleet_->find(name);
            if (node != nullptr && node->facts && !node->facts->gpus.empty()) {
                nodes.push_back({name, node_title(node->spec), node->facts->gpus});
            }
        }
    }
    gpus_->set_nodes(nodes, job.devices);
    form_->set_row_visible("gpus", !gpus_->empty());
}

void JobForm::fit_nodes() {
    const int rows = std::clamp(nodes_->count(), 2, kShownNodes);
    nodes_->setFixedHeight(rows * std::max(nodes_->sizeHintForRow(0), fontMetrics().height() + 4) + 6);
}

void JobForm::showEvent(QShowEvent* event) {
    QWidget::showEvent(event);
    fit_nodes();  // only now is the style's row height known
}

void JobForm::node_toggled(QListWidgetItem* toggled) {
    if (filling_) {
        return;
    }
    if (launcher()
            .chooses_nodes) {  // one node at most: a list of boxes, so that it looks the same as over SSH
        const bool on = toggled->checkState() == Qt::Checked;
        submit_node_ = on ? ss(toggled->data(Qt::UserRole).toString()) : std::string();
        filling_ = true;
        for (int row = 0; row < nodes_->count(); ++row) {
            QListWidgetItem* item = nodes_->item(row);
            item->setCheckState(on && item == toggled ? Qt::Checked : Qt::Unchecked);
        }
        filling_ = false;
        emit changed();
        return;
    }
    all_nodes_ = false;
    for (int row = 0; row < nodes_->count(); ++row) {
        const QListWidgetItem* item = nodes_->item(row);
        const std::string name = ss(item->data(Qt::UserRole).toString());
        const auto at = std::find(chosen_.begin(), chosen_.end(), name);
        const bool on = item->checkState() == Qt::Checked;
        if (on && at == chosen_.end()) {
            chosen_.push_back(name);
        } else if (!on && at != chosen_.end()) {
            chosen_.erase(at);
        }
    }
    show_key_rows();
    emit changed();
}

}  // namespace rankscope::gui
