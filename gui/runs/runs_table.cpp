// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <gui/models/run_column_texts.h>
#include <gui/runs/column_dialog.h>
#include <gui/runs/runs_filter.h>
#include <gui/runs/runs_table.h>
#include <gui/strings.h>
#include <gui/style/table_delegates.h>
#include <gui/widgets/layout_helpers.h>
#include <gui/widgets/quiet_header.h>

#include <QComboBox>
#include <QHeaderView>
#include <QItemSelectionModel>
#include <QMenu>
#include <QSettings>
#include <QSignalBlocker>
#include <QStackedWidget>
#include <QTableView>
#include <QTreeView>
#include <QVBoxLayout>
#include <algorithm>
#include <array>

namespace rankscope::gui {

namespace {

constexpr std::array<const char*, RunsModel::NUM_COLUMNS> kIds{
    "name", "started", "duration", "nodes", "ranks", "outcome", "labels", "summary", "star"};
constexpr std::array<int, RunsModel::NUM_COLUMNS> kWidths{200, 146, 120, 130, 56, 92, 110, 190, 32};
constexpr int kChosenWidth = 130;
constexpr int kMetricWidth = 90;

/// Rows as high as the table's.
class GroupDelegate : public OutcomeDelegate {
public:
    using OutcomeDelegate::OutcomeDelegate;

    QSize sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const override {
        const QSize hint = OutcomeDelegate::sizeHint(option, index);
        return {hint.width(), option.fontMetrics.height() + 9};
    }
};

}  // namespace

RunsTable::RunsTable(RunsModel* model, RunsFilter* filter, QWidget* parent)
    : QWidget(parent),
      model_(model),
      filter_(filter),
      groups_(new RunGroupsModel(model, filter, this)),
      stack_(new QStackedWidget(this)),
      table_(new QTableView(this)),
      tree_(new QTreeView(this)) {
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->addWidget(stack_);
    stack_->addWidget(table_);
    stack_->addWidget(tree_);
    setFocusProxy(table_);
    make_table();
    make_tree();
    restore();
}

void RunsTable::make_table() {
    tune_table(table_, "runsTable", tr("Stored runs"));
    table_->setSelectionMode(QAbstractItemView::ExtendedSelection);
    table_->setModel(filter_);
    table_->setItemDelegate(new OutcomeDelegate(table_));
    table_->setSortingEnabled(true);
    table_->setContextMenuPolicy(Qt::CustomContextMenu);
    tune_header(table_->horizontalHeader());
    connect(table_, &QTableView::clicked, this, [this](const QModelIndex& at) {
        if (at.column() == RunsModel::Star) {
            emit starClicked(at.data(RunsModel::RunIdRole).toString());
        }
    });
    connect(table_, &QTableView::activated, this, &RunsTable::activated);  // double click or Enter
    connect(table_->selectionModel(), &QItemSelectionModel::selectionChanged, this,
            &RunsTable::selectionChanged);
    connect(table_, &QTableView::customContextMenuRequested, this, [this](const QPoint& at) {
        if (table_->indexAt(at).isValid()) {
            emit menuRequested(table_->viewport()->mapToGlobal(at));
        }
    });
}

void RunsTable::make_tree() {
    tree_->setObjectName(u"runGroups"_s);
    tree_->setAccessibleName(tr("Stored runs by group"));
    tree_->setHeader(new QuietHeader(tree_));
    tree_->setModel(groups_);
    tree_->setItemDelegate(new GroupDelegate(tree_));
    tree_->setSelectionMode(QAbstractItemView::ExtendedSelection);
    tree_->setAlternatingRowColors(true);
    tree_->setUniformRowHeights(true);
    tree_->setTextElideMode(Qt::ElideMiddle);
    tree_->setHorizontalScrollMode(QAbstractItemView::ScrollPerPixel);
    tree_->setVerticalScrollMode(QAbstractItemView::ScrollPerPixel);
    tree_->setContextMenuPolicy(Qt::CustomContextMenu);
    tune_header(tree_->header());
    connect(tree_->header(), &QHeaderView::sortIndicatorChanged, this,
            [this](int column, Qt::SortOrder order) { table_->sortByColumn(column, order); });
    tree_->header()->setSortIndicatorShown(true);
    connect(tree_, &QTreeView::clicked, this, [this](const QModelIndex& at) {
        const RunRecord* run = groups_->run_at(at);
        if (run && at.column() == RunsModel::Star) {
            emit starClicked(qs(run->run_id));
        }
    });
    connect(tree_, &QTreeView::activated, this, [this](const QModelIndex& at) {
        if (groups_->run_at(at)) {
            emit activated();
        }
    });
    connect(tree_->selectionModel(), &QItemSelectionModel::selectionChanged, this,
            &RunsTable::selectionChanged);
    connect(tree_, &QTreeView::customContextMenuRequested, this, [this](const QPoint& at) {
        if (tree_->indexAt(at).isValid()) {
            emit menuRequested(tree_->viewport()->mapToGlobal(at));
        }
    });
    connect(groups_, &QAbstractItemModel::modelAboutToBeReset, this, &RunsTable::keep_tree);
    connect(groups_, &QAbstractItemModel::modelReset, this, &RunsTable::restore_tree);
    connect(model_, &QAbstractItemModel::columnsInserted, this, &RunsTable::groupingChanged);
    connect(model_, &QAbstractItemModel::columnsRemoved, this, &RunsTable::groupingChanged);
}

void RunsTable::tune_header(QHeaderView* header) {
    header->setMinimumSectionSize(kWidths[RunsModel::Star]);
    header->setSectionsMovable(true);
    header->setFirstSectionMovable(true);
    header->setStretchLastSection(true);
    header->setContextMenuPolicy(Qt::CustomContextMenu);
    header->setToolTip(tr("Right click: columns and groups"));
    connect(header, &QHeaderView::customContextMenuRequested, this,
            [this, header](const QPoint& at) { show_header_menu(header, at); });
    connect(header, &QHeaderView::sectionMoved, this, &RunsTable::save);
    connect(header, &QHeaderView::sectionResized, this, &RunsTable::save);
    connect(header, &QHeaderView::sortIndicatorChanged, this, &RunsTable::save);
}

QHeaderView* RunsTable::header() const {
    return stack_->currentWidget() == tree_ ? tree_->header() : table_->horizontalHeader();
}

std::vector<const RunRecord*> RunsTable::selected() const {
    std::vector<const RunRecord*> runs;
    std::set<const RunRecord*> seen;  // a run may be in several groups
    const auto add = [&](const RunRecord* run) {
        if (run && seen.insert(run).second) {
            runs.push_back(run);
        }
    };
    if (stack_->currentWidget() == table_) {
        QModelIndexList rows = table_->selectionModel()->selectedRows();
        std::sort(rows.begin(), rows.end());
        for (const QModelIndex& row : std::as_const(rows)) {
            add(model_->at(filter_->mapToSource(row).row()));
        }
        return runs;
    }
    QModelIndexList rows = tree_->selectionModel()->selectedRows();
    for (const QModelIndex& row : std::as_const(rows)) {
        add(groups_->run_at(row));
        for (int i = 0; !groups_->run_at(row) && i < groups_->rowCount(row); ++i) {
            add(groups_->run_at(groups_->index(i, 0, row)));
        }
    }
    return runs;
}

void RunsTable::select(const std::vector<std::string>& run_ids) {
    auto* view = static_cast<QAbstractItemView*>(stack_->currentWidget());
    bool first = true;
    for (const auto& run_id : run_ids) {
        const int row = view == table_ ? model_->row_of(run_id) : -1;
        const QModelIndex place = view == tree_ ? groups_->place_of(run_id)
                                  : row < 0     ? QModelIndex()
                                                : filter_->mapFromSource(model_->index(row, 0));
        if (!place.isValid()) {
            continue;
        }
        if (first) {
            view->setCurrentIndex(place);
            view->scrollTo(place);
            first = false;
        }
        view->selectionModel()->select(place, QItemSelectionModel::Select | QItemSelectionModel::Rows);
    }
}

void RunsTable::select_something() {
    if (selected().empty() && stack_->currentWidget() == table_ && filter_->rowCount() > 0) {
        table_->selectRow(0);
    }
}

QString RunsTable::column_id(int column) const {
    return column < RunsModel::NUM_COLUMNS
               ? QString::fromLatin1(kIds[std::size_t(column)])
               : qs(model_->chosen()[std::size_t(column - RunsModel::NUM_COLUMNS)].id());
}

int RunsTable::column_of(const QString& id) const {
    for (int column = 0; column < model_->columnCount(); ++column) {
        if (column_id(column) == id) {
            return column;
        }
    }
    return -1;
}

std::vector<RunsTable::ShownColumn> RunsTable::shown_columns(const QHeaderView* header) const {
    std::vector<ShownColumn> columns;
    for (int visual = 0; visual < header->count(); ++visual) {
        const int column = header->logicalIndex(visual);
        const bool hidden = header->isSectionHidden(column);
        columns.push_back({column_id(column), hidden ? 0 : header->sectionSize(column), hidden});
    }
    return columns;
}

void RunsTable::apply_columns(QHeaderView* header, const std::vector<ShownColumn>& columns) {
    int visual = 0;
    for (const ShownColumn& shown : columns) {
        const int column = column_of(shown.id);
        if (column < 0) {
            continue;
        }
        header->moveSection(header->visualIndex(column), visual++);
        header->setSectionHidden(column, shown.hidden);
        const int usual = column < RunsModel::NUM_COLUMNS ? kWidths[std::size_t(column)] : kChosenWidth;
        header->resizeSection(column, shown.width > 0 ? shown.width : usual);
    }
}

void RunsTable::save() {
    if (restoring_) {
        return;
    }
    QStringList lines;
    for (const ShownColumn& shown : shown_columns(header())) {
        lines += shown.id + u'|' + QString::number(shown.width) + (shown.hidden ? u"|hidden"_s : QString());
    }
    QSettings settings;
    settings.setValue(u"runsColumns"_s, lines);
    const QHeaderView* sorted = table_->horizontalHeader();
    settings.setValue(u"runsSort"_s, column_id(std::max(0, sorted->sortIndicatorSection())));
    settings.setValue(u"runsSortDescending"_s, sorted->sortIndicatorOrder() == Qt::DescendingOrder);
    settings.setValue(u"runsGrouping"_s, grouping());
}

void RunsTable::restore() {
    const QSettings settings;
    // First: what follows writes.
    const QString sort = settings.value(u"runsSort"_s, u"started"_s).toString();
    const bool descending = settings.value(u"runsSortDescending"_s, true).toBool();
    const QString grouped_by = settings.value(u"runsGrouping"_s).toString();
    std::vector<ShownColumn> columns;
    QStringList ids;
    for (const QString& line : settings.value(u"runsColumns"_s).toStringList()) {
        // An id may itself contain the sign.
        const bool hidden = line.endsWith(u"|hidden"_s);
        const QString rest = hidden ? line.chopped(7) : line;
        const auto sign = rest.lastIndexOf(u'|');
        if (sign > 0 && ids.size() < 200) {
            ids += rest.left(sign);
            columns.push_back({ids.back(), std::clamp(rest.mid(sign + 1).toInt(), 0, 4000), hidden});
        }
    }
    if (columns.empty()) {
        reset_columns();
    } else {
        set_column_ids(ids);
        restoring_ = true;
        apply_columns(table_->horizontalHeader(), columns);
        apply_columns(tree_->header(), columns);
        restoring_ = false;
    }
    const int sorted = column_of(sort);
    table_->sortByColumn(sorted >= 0 ? sorted : RunsModel::Started,
                         descending ? Qt::DescendingOrder : Qt::AscendingOrder);
    set_grouping(grouped_by);
}

void RunsTable::reset_columns() {
    const QString loss = u"loss:last"_s;  // what one looks for first
    set_column_ids({loss});
    std::vector<ShownColumn> columns{{u"star"_s, 0, false}};
    for (const char* id : kIds) {
        const QLatin1String name(id);
        if (name == "summary"_L1) {
            columns.push_back({loss, kMetricWidth, false});
        }
        if (name != "star"_L1) {
            columns.push_back({QString(name), 0, false});
        }
    }
    restoring_ = true;
    apply_columns(table_->horizontalHeader(), columns);
    apply_columns(tree_->header(), columns);
    restoring_ = false;
    save();
}

// The chosen ones among them become columns of the model; all others of it go.
void RunsTable::set_column_ids(const QStringList& ids) {
    std::vector<RunColumn> chosen;
    for (const QString& id : ids) {
        const bool given = std::any_of(kIds.begin(), kIds.end(),
                                       [&](const char* known) { return id == QLatin1String(known); });
        if (const auto column = given ? std::nullopt : run_column(ss(id))) {
            chosen.push_back(*column);
        }
    }
    restoring_ = true;
    const int before = model_->columnCount();
    model_->set_chosen(chosen);
    for (QHeaderView* header : {table_->horizontalHeader(), tree_->header()}) {
        for (int column = std::min(before, header->count() - 1); column < header->count(); ++column) {
            if (column >= before) {
                header->resizeSection(column, kChosenWidth);
            }
        }
    }
    restoring_ = false;
}

void RunsTable::choose_columns() {
    QStringList shown;
    for (const ShownColumn& column : shown_columns(header())) {
        if (!column.hidden) {
            shown += column.id;
        }
    }
    auto* dialog = new ColumnDialog(*model_, shown, this);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    connect(dialog, &QDialog::accepted, this, [this, dialog] {
        const QStringList wanted = dialog->chosen();
        std::vector<ShownColumn> columns = shown_columns(header());
        set_column_ids(wanted);
        for (ShownColumn& column : columns) {
            column.hidden = !wanted.contains(column.id);
        }
        // New ones before the summary, which takes the rest of the width.
        for (const QString& id : wanted) {
            if (std::none_of(columns.begin(), columns.end(),
                             [&](const auto& column) { return column.id == id; })) {
                const auto summary = std::find_if(columns.begin(), columns.end(), [](const auto& column) {
                    return column.id == u"labels"_s;
                });
                columns.insert(summary, ShownColumn{id, 0, false});
            }
        }
        restoring_ = true;
        apply_columns(table_->horizontalHeader(), columns);
        apply_columns(tree_->header(), columns);
        restoring_ = false;
        save();
    });
    dialog->open();
}

void RunsTable::show_header_menu(QHeaderView* header, const QPoint& at) {
    const int column = header->logicalIndexAt(at);
    auto* menu = new QMenu(this);
    menu->setObjectName(u"runsHeaderMenu"_s);
    menu->setAttribute(Qt::WA_DeleteOnClose);
    menu->addAction(tr("&Choose columns…"), this, &RunsTable::choose_columns)
        ->setObjectName(u"chooseColumns"_s);
    if (column >= 0 && column != RunsModel::Name) {
        menu->addAction(tr("&Hide this column"), this, [this, column] {
            for (QHeaderView* both : {table_->horizontalHeader(), tree_->header()}) {
                both->setSectionHidden(column, true);
            }
            save();
        });
    }
    if (column >= RunsModel::NUM_COLUMNS || column == RunsModel::Name) {
        const QString id = column == RunsModel::Name ? u"name"_s : column_id(column);
        menu->addAction(tr("&Group by this column"), this, [this, id] { set_grouping(id); });
    }
    menu->addSeparator();
    menu->addAction(tr("&Reset columns"), this, &RunsTable::reset_columns);
    menu->popup(header->mapToGlobal(at));
}

void RunsTable::set_grouping(const QString& id) {
    const auto grouping = id.isEmpty() ? std::nullopt : run_grouping(ss(id));
    if (groups_->grouping() == grouping && (stack_->currentWidget() == tree_) == grouping.has_value()) {
        return;
    }
    const std::vector<ShownColumn> columns = shown_columns(header());
    groups_->set_grouping(grouping);
    stack_->setCurrentWidget(grouping ? static_cast<QWidget*>(tree_) : table_);
    setFocusProxy(stack_->currentWidget());
    restoring_ = true;
    apply_columns(header(), columns);
    tree_->header()->setSortIndicator(table_->horizontalHeader()->sortIndicatorSection(),
                                      table_->horizontalHeader()->sortIndicatorOrder());
    restoring_ = false;
    if (grouping && groups_->rowCount() <= 20) {
        tree_->expandAll();
    }
    save();
    emit groupingChanged();
    emit selectionChanged();
}

void RunsTable::fill_groupings(QComboBox* combo) const {
    const QSignalBlocker quiet(combo);
    const QString now = grouping();
    combo->clear();
    combo->addItem(tr("No groups"), QString());
    combo->addItem(tr("By group"), u"group"_s);
    combo->addItem(tr("By tag"), u"tag"_s);
    combo->addItem(tr("By name"), u"name"_s);
    for (const RunColumn& column : model_->chosen()) {
        if (column.kind == RunColumn::Kind::Job) {
            combo->addItem(tr("By %1").arg(run_column_header(column)), qs(column.id()));
        }
    }
    if (!now.isEmpty() && combo->findData(now) < 0) {
        const auto column = run_column(ss(now));
        combo->addItem(tr("By %1").arg(column ? run_column_header(*column) : now), now);
    }
    combo->setCurrentIndex(std::max(0, combo->findData(now)));
}

QString RunsTable::grouping() const {
    return groups_->grouping() ? qs(groups_->grouping()->id()) : QString();
}

void RunsTable::keep_tree() {
    kept_selection_.clear();
    for (const RunRecord* run :
         stack_->currentWidget() == tree_ ? selected() : std::vector<const RunRecord*>()) {
        kept_selection_.push_back(run->run_id);
    }
    open_groups_.clear();
    for (int i = 0; i < groups_->rowCount(); ++i) {
        if (tree_->isExpanded(groups_->index(i, 0))) {
            open_groups_.insert(groups_->group_name(i));
        }
    }
}

void RunsTable::restore_tree() {
    for (int i = 0; i < groups_->rowCount(); ++i) {
        tree_->setExpanded(groups_->index(i, 0), open_groups_.count(groups_->group_name(i)) > 0);
    }
    for (const auto& run_id : kept_selection_) {
        tree_->selectionModel()->select(groups_->place_of(run_id),
                                        QItemSelectionModel::Select | QItemSelectionModel::Rows);
    }
}

}  // namespace rankscope::gui
