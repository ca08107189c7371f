// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <gui/fleet/added_bar.h>
#include <gui/fleet/first_steps.h>
#include <gui/fleet/fleet_page.h>
#include <gui/fleet/node_details.h>
#include <gui/fleet/slots_delegate.h>
#include <gui/models/fleet_model.h>
#include <gui/on_thread.h>
#include <gui/strings.h>
#include <gui/style/spark_line.h>
#include <gui/style/table_delegates.h>
#include <gui/style/theme.h>
#include <gui/texts.h>
#include <gui/widgets/combo_box.h>
#include <gui/widgets/fitted_table.h>
#include <gui/widgets/layout_helpers.h>
#include <gui/widgets/notice_bar.h>

#include <QComboBox>
#include <QHBoxLayout>
#include <QItemSelectionModel>
#include <QLabel>
#include <QMenu>
#include <QPushButton>
#include <QSettings>
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
constexpr int kCurve = 44;          ///< usual width of the curve
constexpr int kLeastCurve = 16;     ///< below it, nothing can be seen
constexpr int kUseRoom = 6;         ///< around it

const QString kStepsKey = QStringLiteral("fleet/firstSteps");  ///< the user has begun with them

QList<float> course_of(const QModelIndex& index) {
    return index.data(FleetModel::CourseRole).value<QList<float>>();
}

/// What the devices of a node do (FleetModel::Use), and next to it the course of their use (FleetModel::CourseRole), where
/// the cell has room.
class UseDelegate : public ProbeDelegate {
public:
    using ProbeDelegate::ProbeDelegate;

    void paint(QPainter* painter, const QStyleOptionViewItem& option,
               const QModelIndex& index) const override;
    QSize sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const override;
};

void UseDelegate::paint(QPainter* painter, const QStyleOptionViewItem& option,
                        const QModelIndex& index) const {
    ProbeDelegate::paint(painter, option, index);
    const QList<float> course = course_of(index);
    const int text = ProbeDelegate::sizeHint(option, index).width();
    const int width = std::min(option.rect.width() - text - kUseRoom, kCurve);
    if (course.size() < 2 || width < kLeastCurve) {
        return;
    }
    const QRectF box(option.rect.right() - kUseRoom - width, option.rect.top() + 4.0, width,
                     option.rect.height() - 8.0);
    const ThemeColors colors = theme_colors(option.palette);
    const bool aged = index.data(FleetModel::AgedRole).toBool();
    draw_spark_line(painter, box, course, qsizetype(FleetNode::kCourse), aged ? colors.muted : colors.accent);
}

QSize UseDelegate::sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const {
    QSize size = ProbeDelegate::sizeHint(option, index);
    if (course_of(index).size() > 1) {
        size.rwidth() += kCurve + 2 * kUseRoom;
    }
    return size;
}

}  // namespace

FleetPage::FleetPage(Fleet* fleet, QWidget* parent)
    : QWidget(parent), fleet_(fleet), steps_begun_(QSettings().value(kStepsKey).toBool()) {
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
    added_ = new AddedBar(this);
    layout->addWidget(added_);
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
    connect_added();
    update_filter();
    select_nodes(keep_selected_);
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
        tr("Processes, ports, shared memory and GPU memory that runs left on this node, and how to free "
           "them"));
    shell_ = make_button(tr("&Open shell"), "openShell", bar);
    shell_->setToolTip(tr("Log in on this node by ssh, in a terminal window"));
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
    connect(keys_, &QPushButton::clicked, this, [this] { open_keys(fleet_->inventory().nodes); });
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
        if (const std::vector<NodeSpec> nodes = selection(false); !nodes.empty()) {
            keep_selected_ = names_of(nodes);
        }
        update_state();
        update_details();
    });
    connect(fleet_->model(), &QAbstractItemModel::dataChanged, this, &FleetPage::update_details);
    connect(fleet_->model(), &QAbstractItemModel::modelReset, this, [this] {
        update_filter();
        select_nodes(keep_selected_);
    });
    connect(filter_, &QComboBox::currentIndexChanged, this, [this] {
        apply_filter();
        if (selection(false).empty()) {
            select_nodes(keep_selected_);
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
    connect(first_steps_, &FirstSteps::keysRequested, this, [this] { open_keys(fleet_->inventory().nodes); });
    connect(first_steps_, &FirstSteps::probeRequested, fleet_, &Fleet::probe_all);
    connect(first_steps_, &FirstSteps::closed, this, [this] {
        steps_wanted_ = false;
        steps_hidden_ = true;
        steps_begun_ = false;
        QSettings().remove(kStepsKey);
        update_first_steps();
    });
    connect(fleet_, &Fleet::changed, this, &FleetPage::update_first_steps);
    connect(fleet_, &Fleet::probesChanged, this, &FleetPage::update_first_steps);
    connect(table_, &QTableView::customContextMenuRequested, this, &FleetPage::show_menu);
}

// What comes next is for all that were added, not only for the first.
void FleetPage::connect_added() {
    connect(added_, &AddedBar::keysRequested, this, [this] { open_keys(added_nodes()); });
    connect(added_, &AddedBar::probeRequested, this, [this] {
        for (const NodeSpec& node : added_nodes()) {
            fleet_->probe(node.name);
        }
    });
    connect(added_, &AddedBar::groupRequested, this, [this] { open_batch_dialog(added_nodes()); });
}

std::vector<NodeSpec> FleetPage::added_nodes() const {
    std::vector<NodeSpec> nodes;
    for (const std::string& name : added_->nodes()) {
        if (const NodeSpec* node = fleet_->inventory().find(name)) {
            nodes.push_back(*node);
        }
    }
    return nodes;
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
    const std::vector<NodeSpec>& nodes = fleet_->inventory().nodes;
    first_steps_->set_done(FirstSteps::Step::Run, has_runs_ == true);
    first_steps_->set_done(FirstSteps::Step::Add, !nodes.empty());
    first_steps_->set_done(FirstSteps::Step::Ready,
                           std::any_of(nodes.begin(), nodes.end(), [this](const NodeSpec& node) {
                               const FleetNode* known = fleet_->model()->find(node.name);
                               return known && known->state == ProbeState::Ready;
                           }));
    // They begin for a user who has nothing yet, and stay until all is done.
    const bool new_user =
        fleet_->loaded() && fleet_->problems().empty() && nodes.empty() && has_runs_ == false;
    if (new_user && !steps_hidden_ && !steps_begun_) {
        steps_begun_ = true;
        QSettings().setValue(kStepsKey, true);
    }
    first_steps_->setVisible(steps_wanted_ || (steps_begun_ && !first_steps_->all_done()));
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
    menu->addAction(selection(false).size() == 1 ? tr("R&uns on this node…") : tr("R&uns on these nodes…"),
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

void FleetPage::select_nodes(const std::vector<std::string>& names) {
    QItemSelection rows;
    for (const std::string& name : names) {
        const int row = fleet_->model()->row_of(name);
        if (row >= 0 && !table_->isRowHidden(row)) {
            rows.select(fleet_->model()->index(row, 0), fleet_->model()->index(row, 0));
        }
    }
    if (rows.size() < 2) {
        select_node(names.empty() ? std::string() : names.front());
        return;
    }
    QItemSelectionModel* chosen = table_->selectionModel();
    chosen->setCurrentIndex(rows.front().topLeft(), QItemSelectionModel::NoUpdate);
    chosen->select(rows, QItemSelectionModel::ClearAndSelect | QItemSelectionModel::Rows);
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
    QString text = count == 1 ? tr("This computer. Add the nodes you train on.") : tr("%1 nodes").arg(count);
    if (const int shown = shown_rows(); shown < count) {
        text = tr("%1 of %2 nodes").arg(shown).arg(count);
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

}  // namespace rankscope::gui
