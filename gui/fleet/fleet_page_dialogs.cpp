// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

// What the buttons of FleetPage open.

#include <base/shell_quote.h>
#include <gui/fleet/added_bar.h>
#include <gui/fleet/batch_node_dialog.h>
#include <gui/fleet/fleet_page.h>
#include <gui/fleet/import_dialog.h>
#include <gui/fleet/key_dialog.h>
#include <gui/fleet/leftovers_dialog.h>
#include <gui/fleet/node_dialog.h>
#include <gui/fleet/node_runs_dialog.h>
#include <gui/on_thread.h>
#include <gui/plain_text.h>
#include <gui/session/terminal.h>
#include <gui/strings.h>
#include <gui/texts.h>
#include <gui/widgets/layout_helpers.h>
#include <remote/desk/nodes/session/node_shell.h>

#include <QMessageBox>
#include <QPushButton>
#include <algorithm>

namespace rankscope::gui {

namespace {

QString selection_text(const std::vector<NodeSpec>& nodes) {
    return nodes.size() == 1 ? qs(nodes.front().name) : FleetPage::tr("%1 nodes").arg(nodes.size());
}

}  // namespace

std::vector<std::string> FleetPage::names_of(const std::vector<NodeSpec>& nodes) {
    std::vector<std::string> names;
    for (const NodeSpec& node : nodes) {
        names.push_back(node.name);
    }
    return names;
}

QStringList FleetPage::group_names() const {
    QStringList names;
    for (const auto& [group, count] : fleet_->model()->groups()) {
        names += qs(group);
    }
    return names;
}

void FleetPage::open_dialog(const std::string& name) {
    const FleetNode* node = name.empty() ? nullptr : fleet_->model()->find(name);
    QStringList taken;
    for (const FleetNode& other : fleet_->model()->nodes()) {
        if (other.spec.name != name && !other.spec.local) {
            taken += qs(other.spec.name);
        }
    }
    auto* dialog = new NodeDialog(node ? node->spec : NodeSpec{}, taken, node == nullptr, this);
    dialog->offer_groups(group_names());
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    connect(dialog, &QDialog::accepted, this, [this, dialog, name] {
        const NodeSpec edited = dialog->node();
        keep_selected_ = {edited.name};
        fleet_->save_node(name, edited);
    });
    dialog->open();
}

void FleetPage::open_batch_dialog(const std::vector<NodeSpec>& nodes) {
    auto* dialog = new BatchNodeDialog(nodes, this);
    dialog->offer_groups(group_names());
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    connect(dialog, &QDialog::accepted, this, [this, dialog] {
        keep_selected_ = names_of(dialog->nodes());
        fleet_->replace_nodes(dialog->nodes());
    });
    dialog->open();
}

void FleetPage::open_shell() {
    const std::vector<NodeSpec> nodes = selection(false);
    if (nodes.empty()) {
        return;
    }
    QStringList command;
    QStringList words;
    for (const std::string& word : node_shell(nodes.front())) {
        command += qs(word);
        words += qs(shell_quote(word));
    }
    if (open_terminal(command)) {
        return;
    }
    auto* box =
        new QMessageBox(QMessageBox::NoIcon, tr("Open shell"),
                        tr("No terminal program starts on this computer."), QMessageBox::NoButton, this);
    box->setObjectName(u"noTerminal"_s);
    box->setAttribute(Qt::WA_DeleteOnClose);
    box->setInformativeText(
        plain_text(tr("Install one, for example xterm, or set TERMINAL to its name. The command:\n%1")
                       .arg(words.join(u' '))));
    auto* copy = box->addButton(tr("&Copy command"), QMessageBox::AcceptRole);
    box->addButton(QMessageBox::Close);
    connect(copy, &QPushButton::clicked, this, [words] { copy_to_clipboard(words.join(u' ')); });
    box->open();
}

void FleetPage::open_import() {
    auto* dialog = new ImportDialog(fleet_->inventory(), this);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    connect(dialog, &QDialog::accepted, this, [this, dialog] {
        const auto nodes = dialog->nodes();
        if (!nodes.empty()) {
            keep_selected_ = names_of(nodes);
            added_->set_nodes(dialog->set_up() ? std::vector<std::string>() : keep_selected_);
            fleet_->add_nodes(nodes);
            if (dialog->set_up()) {
                set_up(nodes);
            }
        }
    });
    dialog->open();
}

void FleetPage::open_keys(const std::vector<NodeSpec>& nodes) {
    auto* dialog = new KeyDialog(nodes, fleet_->prompter(), this);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->open();
}

// A key that opens them, then what they have, then a job.
void FleetPage::set_up(const std::vector<NodeSpec>& nodes) {
    auto* dialog = new KeyDialog(nodes, fleet_->prompter(), this);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    connect(dialog, &QDialog::accepted, this, [this, names = names_of(nodes)] {
        for (const std::string& name : names) {
            fleet_->probe(name);
        }
        emit trainingRequested(names);
    });
    dialog->open();
    dialog->install_now();
}

void FleetPage::show_port(const QString& node, int port) {
    RANKSCOPE_CHECK(on_thread_of(this), return );
    open_leftovers(ss(node), port);
}

void FleetPage::open_leftovers(const std::string& name, int port) {
    const FleetNode* node = fleet_->model()->find(name);
    if (node == nullptr) {
        return;
    }
    auto* dialog = new LeftoversDialog(node->spec, port, fleet_->prompter(), fleet_->sessions(), window());
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->set_store(fleet_->store(), fleet_->inventory().nodes);
    connect(dialog, &LeftoversDialog::attachRequested, this, &FleetPage::runRequested);
    dialog->open();
}

void FleetPage::open_runs() {
    const std::vector<NodeSpec> nodes = selection(false);
    if (nodes.empty()) {
        return;
    }
    auto* dialog =
        new NodeRunsDialog({nodes, fleet_->prompter(), fleet_->sessions(), fleet_->store()}, window());
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    connect(dialog, &NodeRunsDialog::attachRequested, this, &FleetPage::runRequested);
    dialog->open();
}

void FleetPage::ask_remove() {
    const std::vector<NodeSpec> nodes = selection(true);
    if (nodes.empty()) {
        return;
    }
    auto* box =
        new QMessageBox(QMessageBox::NoIcon, nodes.size() == 1 ? tr("Remove node") : tr("Remove nodes"),
                        plain_text(tr("Remove %1 from the inventory?").arg(selection_text(nodes))),
                        QMessageBox::NoButton, this);
    box->setObjectName(u"removeDialog"_s);
    box->setAttribute(Qt::WA_DeleteOnClose);
    box->setInformativeText(
        plain_text((nodes.size() == 1 ? tr("Its entry is removed from %1. The node itself does not "
                                           "change, and stored runs stay.")
                                      : tr("Their entries are removed from %1. The nodes themselves do not "
                                           "change, and stored runs stay."))
                       .arg(qs(fleet_->file().string()))));
    if (nodes.size() > 1) {
        QStringList names;
        for (const NodeSpec& node : nodes) {
            names += qs(node.name);
        }
        box->setDetailedText(names.join(u'\n'));
    }
    QPushButton* remove = box->addButton(tr("&Remove"), QMessageBox::AcceptRole);
    remove->setObjectName(u"removeConfirm"_s);
    QPushButton* cancel = box->addButton(QMessageBox::Cancel);
    box->setDefaultButton(cancel);
    connect(box, &QMessageBox::finished, this, [this, box, remove, nodes] {
        if (box->clickedButton() == remove) {
            keep_selected_ = {kLocalNodeName};
            fleet_->remove_nodes(names_of(nodes));
        }
    });
    box->open();
}

}  // namespace rankscope::gui
