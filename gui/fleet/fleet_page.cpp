// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <base/shell_quote.h>
#include <gui/fleet/batch_node_dialog.h>
#include <gui/fleet/first_steps.h>
#include <gui/fleet/fleet_page.h>
#include <gui/fleet/import_dialog.h>
#include <gui/fleet/key_dialog.h>
#include <gui/fleet/leftovers_dialog.h>
#include <gui/fleet/node_details.h>
#include <gui/fleet/node_dialog.h>
#include <gui/fleet/node_runs_dialog.h>
#include <gui/fleet/slots_delegate.h>
#include <gui/fleet/use_delegate.h>
#include <gui/on_thread.h>
#include <gui/plain_text.h>
#include <gui/session/terminal.h>
#include <gui/strings.h>
#include <gui/style/table_delegates.h>
#include <gui/texts.h>
#include <gui/widgets/combo_box.h>
#include <gui/widgets/fitted_table.h>
#include <gui/widgets/layout_helpers.h>
#include <gui/widgets/notice_bar.h>
#include <remote/desk/node/node_shell.h>

#include <QComboBox>
#include <QHBoxLayout>
#include <QItemSelectionModel>
#include <QLabel>
#include <QMenu>
#include <QMessageBox>
#include <QPushButton>
#include <QShortcut>
#include <QSplitter>
#include <QTableView>
#include <QVBoxLayout>
#include <algorithm>

namespace rankscope::gui {

namespace {

/// Between two readings of the figures of nodes that no run uses.
constexpr int kFiguresEveryMs = 5000;
constexpr int kLeastState = 190;    // "failed: Connection refu…"
constexpr int kLeastUse = 140;      // "100 %, 100 °C" and a small curve
constexpr int kLeastClock = 80;     // "+100.0 ms"
constexpr int kWidestFilter = 260;  ///< a group may have a long name

QString selection_text(const std::vector<NodeSpec>& nodes) {
    return nodes.size() == 1 ? qs(nodes.front().name) : FleetPage::tr("%1 nodes").arg(nodes.size());
}

}  // namespace

FleetPage::FleetPage(Fleet* fleet, QWidget* parent) : QWidget(parent), fleet_(fleet) {
    setObjectName(u"fleetPage"_s);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(16, 12, 16, 12);
    layout->setSpacing(10);
    auto* head = new QHBoxLayout;
    head->addWidget(make_label(tr("Fleet"), this, "pageTitle"));
    summary_ = make_label({}, this, "muted");
    summary_->setObjectName(u"fleetSummary"_s);
    head->addSpacing(8);
    head->addWidget(summary_, 1, Qt::AlignBottom);
    make_filter(head);
    layout->addLayout(head);
    problems_ = new NoticeBar(NoticeBar::Kind::Fault, "fleetProblems", this);
    problems_->set_action(tr("&Read again"));
    layout->addWidget(problems_);
    first_steps_ = new FirstSteps(this);
    first_steps_->hide();
    layout->addWidget(first_steps_);
    layout->addWidget(make_buttons());

    auto* splitter = new QSplitter(Qt::Vertical, this);
    splitter->setChildrenCollapsible(false);
    splitter->setHandleWidth(10);
    table_ = new FittedTable(splitter);
    tune_table(table_, "fleetTable", tr("Nodes"));
    table_->setModel(fleet_->model());
    table_->setSelectionMode(QAbstractItemView::ExtendedSelection);
    table_->setItemDelegate(new ProbeDelegate(table_));
    table_->setItemDelegateForColumn(FleetModel::Slots, new SlotsDelegate(table_));
    table_->setItemDelegateForColumn(FleetModel::Use, new UseDelegate(table_));
    table_->set_droppable({FleetModel::Os, FleetModel::RoundTrip});  // the details have them
    table_->set_widened(FleetModel::State);                          // it may be a sentence
    table_->set_least_widths(
        {{FleetModel::State, kLeastState}, {FleetModel::Use, kLeastUse}, {FleetModel::Clock, kLeastClock}});
    details_ = new NodeDetails(splitter);
    splitter->addWidget(table_);
    splitter->addWidget(details_);
    splitter->setStretchFactor(0, 3);
    splitter->setStretchFactor(1, 2);
    layout->addWidget(splitter, 1);
    setFocusProxy(table_);
    table_->setContextMenuPolicy(Qt::CustomContextMenu);
    connect_parts();
    connect_first_steps();
    update_filter();
    select_node(keep_selected_);
}

QWidget* FleetPage::make_buttons() {
    auto* bar = new QWidget(this);
    auto* layout = new QHBoxLayout(bar);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(6);
    add_ = make_button(tr("&Add node…"), "addNode", bar);
    import_ = make_button(tr("&Import…"), "importNodes", bar);
    edit_ = make_button(tr("E&dit…"), "editNode", bar);
    remove_ = make_button(tr("Re&move"), "removeNode", bar);
    keys_ = make_button(tr("SSH &key…"), "sshKey", bar);
    left_ = make_button(tr("Lef&tovers…"), "leftovers", bar);
    left_->setToolTip(
        tr("Processes, ports, shared memory and GPU memory that runs left on this machine, and how to free "
           "them"));
    shell_ = make_button(tr("&Open shell"), "openShell", bar);
    shell_->setToolTip(tr("Log in on this machine by ssh, in a terminal window"));
    probe_ = make_button(tr("&Probe"), "probeNode", bar);
    probe_all_ = make_button(tr("Probe a&ll"), "probeAll", bar);
    cancel_ = make_button(tr("Cancel pro&bes"), "cancelProbes", bar);
    for (QPushButton* button : {add_, import_, edit_, remove_, keys_, left_, shell_}) {
        layout->addWidget(button);
    }
    layout->addStretch();
    for (QPushButton* button : {cancel_, probe_, probe_all_}) {
        layout->addWidget(button);
    }
    return bar;
}

// Data of an item: the group; of the first, nothing: all; of the last, an empty text: nodes without one.
void FleetPage::make_filter(QLayout* bar) {
    filter_ = new ComboBox(this);
    filter_->setObjectName(u"fleetGroup"_s);
    filter_->setAccessibleName(tr("Group of nodes"));
    filter_->setToolTip(tr("Show only the nodes of a group"));
    filter_->setSizeAdjustPolicy(QComboBox::AdjustToContents);
    filter_->setMaximumWidth(kWidestFilter);
    bar->addWidget(filter_);
}

void FleetPage::update_filter() {
    const auto groups = fleet_->model()->groups();
    const QVariant wanted = filter_->currentData();
    const QSignalBlocker quiet(filter_);
    filter_->clear();
    filter_->addItem(tr("All groups"));
    for (const auto& [group, count] : groups) {
        filter_->addItem(qs(group), qs(group));
    }
    filter_->addItem(tr("Without a group"), QString());
    // A group whose last node has left is gone.
    const int at = wanted.isValid() ? filter_->findData(wanted) : 0;
    filter_->setCurrentIndex(std::max(at, 0));
    filter_->setVisible(!groups.empty());
    if (groups.empty()) {
        filter_->setCurrentIndex(0);
    }
    table_->setColumnHidden(FleetModel::Group, groups.empty());
    apply_filter();
}

void FleetPage::apply_filter() {
    const QVariant group = filter_->currentData();
    const auto& nodes = fleet_->model()->nodes();
    for (std::size_t row = 0; row < nodes.size(); ++row) {
        table_->setRowHidden(int(row), group.isValid() && qs(nodes[row].spec.group) != group.toString());
    }
    table_->fit();
    update_state();
    update_details();
}

int FleetPage::shown_rows() const {
    int shown = 0;
    for (int row = 0; row < fleet_->model()->rowCount(); ++row) {
        shown += table_->isRowHidden(row) ? 0 : 1;
    }
    return shown;
}

void FleetPage::open_selected() {
    const std::vector<NodeSpec> nodes = selection(true);
    if (nodes.empty() || !edit_->isEnabled()) {
        return;
    }
    if (nodes.size() == 1) {
        open_dialog(nodes.front().name);
    } else {
        open_batch_dialog(nodes);
    }
}

void FleetPage::connect_parts() {
    connect(add_, &QPushButton::clicked, this, [this] { open_dialog({}); });
    connect(import_, &QPushButton::clicked, this, &FleetPage::open_import);
    connect(keys_, &QPushButton::clicked, this, &FleetPage::open_keys);
    connect(edit_, &QPushButton::clicked, this, &FleetPage::open_selected);
    connect(shell_, &QPushButton::clicked, this, &FleetPage::open_shell);
    connect(left_, &QPushButton::clicked, this, [this] { open_leftovers(selected(), 0); });
    connect(remove_, &QPushButton::clicked, this, &FleetPage::ask_remove);
    connect(probe_, &QPushButton::clicked, this, [this] {
        for (const NodeSpec& node : selection(false)) {
            fleet_->probe(node.name);
        }
    });
    figures_clock_.setInterval(kFiguresEveryMs);
    connect(&figures_clock_, &QTimer::timeout, this, &FleetPage::refresh_figures);
    connect(probe_all_, &QPushButton::clicked, fleet_, &Fleet::probe_all);
    connect(cancel_, &QPushButton::clicked, fleet_, &Fleet::cancel_probes);
    connect(problems_, &NoticeBar::actionTriggered, fleet_, &Fleet::load);
    connect(table_, &QTableView::doubleClicked, this, &FleetPage::open_selected);
    for (const Qt::Key key : {Qt::Key_Return, Qt::Key_Enter}) {
        auto* open = new QShortcut(key, table_);
        open->setContext(Qt::WidgetShortcut);
        connect(open, &QShortcut::activated, this, &FleetPage::open_selected);
    }
    connect(table_->selectionModel(), &QItemSelectionModel::selectionChanged, this, [this] {
        if (!selected().empty()) {
            keep_selected_ = selected();
        }
        update_state();
        update_details();
    });
    connect(fleet_->model(), &QAbstractItemModel::dataChanged, this, &FleetPage::update_details);
    connect(fleet_->model(), &QAbstractItemModel::modelReset, this, [this] {
        update_filter();
        select_node(keep_selected_);
    });
    connect(filter_, &QComboBox::currentIndexChanged, this, [this] {
        apply_filter();
        if (selection(false).empty()) {
            select_node(keep_selected_);
        }
    });
    connect(fleet_, &Fleet::changed, table_, &FittedTable::fit);
    connect(fleet_, &Fleet::probesChanged, table_, &FittedTable::fit);
    for (const auto signal : {&Fleet::changed, &Fleet::problemsChanged, &Fleet::probesChanged}) {
        connect(fleet_, signal, this, &FleetPage::update_state);
    }
}

void FleetPage::connect_first_steps() {
    connect(first_steps_, &FirstSteps::quickStartRequested, this, &FleetPage::quickStartRequested);
    connect(first_steps_, &FirstSteps::addRequested, this, [this] { open_dialog({}); });
    connect(first_steps_, &FirstSteps::importRequested, this, &FleetPage::open_import);
    connect(first_steps_, &FirstSteps::closed, this, [this] {
        steps_wanted_ = false;
        steps_hidden_ = true;
        update_first_steps();
    });
    connect(fleet_, &Fleet::changed, this, &FleetPage::update_first_steps);
    connect(table_, &QTableView::customContextMenuRequested, this, &FleetPage::show_menu);
}

void FleetPage::set_has_runs(bool has_runs) {
    has_runs_ = has_runs;
    update_first_steps();
}

void FleetPage::show_first_steps() {
    steps_wanted_ = true;
    update_first_steps();
}

void FleetPage::update_first_steps() {
    const bool new_user = fleet_->loaded() && fleet_->problems().empty() &&
                          fleet_->inventory().nodes.empty() && has_runs_ == false && !steps_hidden_;
    first_steps_->setVisible(steps_wanted_ || new_user);
}

void FleetPage::show_menu(const QPoint& at) {
    const FleetNode* node = fleet_->model()->find(selected());
    if (node == nullptr) {
        return;
    }
    auto* menu = new QMenu(this);
    menu->setObjectName(u"fleetMenu"_s);
    menu->setAttribute(Qt::WA_DeleteOnClose);
    for (QPushButton* button : {probe_, edit_, shell_, left_, keys_, remove_}) {
        menu->addAction(button->text(), button, &QPushButton::click)->setEnabled(button->isEnabled());
    }
    menu->addAction(
            selection(false).size() == 1 ? tr("R&uns on this machine…") : tr("R&uns on these machines…"),
            this, &FleetPage::open_runs)
        ->setObjectName(u"fleetRuns"_s);
    menu->addSeparator();
    const QString name = qs(node->spec.name);
    const QString address = qs(node->spec.host.empty() ? node->spec.name : node->spec.host);
    menu->addAction(tr("&Copy its name"), this, [name] { copy_to_clipboard(name); });
    menu->addAction(tr("Copy its add&ress"), this, [address] { copy_to_clipboard(address); });
    // The menu key has no place: the selected row is meant.
    const QRect row = table_->visualRect(table_->currentIndex());
    const bool on_table = table_->viewport()->rect().contains(at);
    menu->popup(
        table_->viewport()->mapToGlobal(on_table && table_->indexAt(at).isValid() ? at : row.bottomLeft()));
}

std::string FleetPage::selected() const {
    const std::vector<NodeSpec> nodes = selection(false);
    const QModelIndex current = table_->currentIndex();
    if (current.isValid() && table_->selectionModel()->isRowSelected(current.row()) &&
        !table_->isRowHidden(current.row())) {
        return fleet_->model()->nodes()[std::size_t(current.row())].spec.name;
    }
    return nodes.empty() ? std::string() : nodes.front().name;
}

std::vector<NodeSpec> FleetPage::selection(bool inventory_only) const {
    std::vector<int> rows;
    for (const QModelIndex& index : table_->selectionModel()->selectedRows()) {
        if (!table_->isRowHidden(index.row())) {
            rows.push_back(index.row());
        }
    }
    std::sort(rows.begin(), rows.end());
    std::vector<NodeSpec> nodes;
    for (const int row : rows) {
        const NodeSpec& spec = fleet_->model()->nodes()[std::size_t(row)].spec;
        if (!spec.local || !inventory_only) {
            nodes.push_back(spec);
        }
    }
    return nodes;
}

void FleetPage::showEvent(QShowEvent* event) {
    QWidget::showEvent(event);
    figures_clock_.start();
}

void FleetPage::hideEvent(QHideEvent* event) {
    QWidget::hideEvent(event);
    figures_clock_.stop();
}

void FleetPage::set_refresh_s(int seconds) {
    figures_clock_.setInterval(seconds * 1000);
}

void FleetPage::refresh_figures() {
    if (!window()->isMinimized()) {
        fleet_->refresh_figures();
    }
}

void FleetPage::select_node(const std::string& name) {
    int row = std::max(fleet_->model()->row_of(name), 0);
    if (table_->isRowHidden(row)) {
        row = 0;
        while (row < fleet_->model()->rowCount() && table_->isRowHidden(row)) {
            ++row;
        }
    }
    table_->selectRow(row);
}

void FleetPage::update_state() {
    RANKSCOPE_CHECK(on_thread_of(this), return );
    std::vector<Failure> faults = fleet_->problems();
    const bool broken = !faults.empty();
    if (!broken) {
        faults = fleet_->save_problems();
    }
    if (faults.empty()) {
        problems_->set_text({});
    } else {
        problems_->set_text(
            broken ? tr("The inventory has errors. Fix %1; Rankscope does not write it until then.")
                         .arg(qs(fleet_->file().string()))
                   : tr("The inventory could not be saved."),
            failures_text(faults));
    }
    const FleetNode* node = fleet_->model()->find(selected());
    const std::vector<NodeSpec> all = selection(false);
    const bool some = !selection(true).empty();
    const bool waits = std::any_of(all.begin(), all.end(), [this](const NodeSpec& each) {
        const FleetNode* one = fleet_->model()->find(each.name);
        return one && one->state != ProbeState::Connecting;
    });
    add_->setEnabled(fleet_->loaded() && !broken);
    import_->setEnabled(fleet_->loaded() && !broken);
    keys_->setEnabled(fleet_->loaded() && !broken && !fleet_->inventory().nodes.empty());
    edit_->setEnabled(fleet_->loaded() && !broken && some);
    remove_->setEnabled(fleet_->loaded() && !broken && some);
    left_->setEnabled(node != nullptr && all.size() == 1);
    shell_->setEnabled(node != nullptr && all.size() == 1);
    probe_->setEnabled(waits);
    const int probing = fleet_->running_probes();
    cancel_->setVisible(probing > 0);
    const auto count = int(fleet_->model()->nodes().size());
    QString text =
        count == 1 ? tr("This computer. Add the machines you train on.") : tr("%1 machines").arg(count);
    if (const int shown = shown_rows(); shown < count) {
        text = tr("%1 of %2 machines").arg(shown).arg(count);
    }
    if (all.size() > 1) {
        text += tr(" · %1 selected").arg(all.size());
    }
    if (probing > 0) {
        text += tr(" · probing %1").arg(probing);
    }
    summary_->setText(text);
}

void FleetPage::update_details() {
    details_->set_node(fleet_->model()->find(selected()), fleet_->model()->now_us());
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
        keep_selected_ = edited.name;
        fleet_->save_node(name, edited);
    });
    dialog->open();
}

void FleetPage::open_batch_dialog(const std::vector<NodeSpec>& nodes) {
    auto* dialog = new BatchNodeDialog(nodes, this);
    dialog->offer_groups(group_names());
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    connect(dialog, &QDialog::accepted, this, [this, dialog] { fleet_->replace_nodes(dialog->nodes()); });
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
            keep_selected_ = nodes.front().name;
            fleet_->add_nodes(nodes);
        }
    });
    dialog->open();
}

void FleetPage::open_keys() {
    auto* dialog = new KeyDialog(fleet_->inventory().nodes, fleet_->prompter(), this);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->open();
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
    box->setInformativeText(plain_text(
        (nodes.size() == 1 ? tr("Its entry is removed from %1. The machine itself does not "
                                "change, and stored runs stay.")
                           : tr("Their entries are removed from %1. The machines themselves do not "
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
            keep_selected_ = kLocalNodeName;
            std::vector<std::string> names;
            for (const NodeSpec& node : nodes) {
                names.push_back(node.name);
            }
            fleet_->remove_nodes(names);
        }
    });
    box->open();
}

}  // namespace rankscope::gui
