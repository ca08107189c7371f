// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <gui/data/metric_format.h>
#include <gui/models/run_column_texts.h>
#include <gui/models/runs_model.h>
#include <gui/plain_text.h>
#include <gui/runs/column_dialog.h>
#include <gui/strings.h>
#include <gui/widgets/clear_button.h>
#include <remote/desk/archive/compare/run_summary.h>

#include <QDialogButtonBox>
#include <QHeaderView>
#include <QLineEdit>
#include <QSortFilterProxyModel>
#include <QStandardItemModel>
#include <QTreeView>
#include <QVBoxLayout>
#include <array>
#include <set>
#include <utility>

namespace rankscope::gui {

namespace {

constexpr int kIdRole = Qt::UserRole + 1;
constexpr std::size_t kMostNames = 2000;

}  // namespace

ColumnDialog::ColumnDialog(const RunsModel& runs, const QStringList& shown, QWidget* parent)
    : QDialog(parent),
      shown_(shown),
      search_(new QLineEdit(this)),
      tree_(new QTreeView(this)),
      model_(new QStandardItemModel(this)),
      filter_(new QSortFilterProxyModel(this)) {
    setObjectName(u"columnDialog"_s);
    setWindowTitle(tr("Columns of the runs"));
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(18, 16, 18, 14);
    layout->setSpacing(10);
    search_->setObjectName(u"columnSearch"_s);
    search_->setAccessibleName(tr("Search columns"));
    search_->setPlaceholderText(tr("Search: loss, batch_size, verdict"));
    add_clear_button(search_);
    layout->addWidget(search_);
    add_known(runs);
    filter_->setSourceModel(model_);
    filter_->setFilterCaseSensitivity(Qt::CaseInsensitive);
    filter_->setRecursiveFilteringEnabled(true);
    tree_->setObjectName(u"columnList"_s);
    tree_->setAccessibleName(tr("Columns"));
    tree_->setModel(filter_);
    tree_->header()->hide();
    tree_->setUniformRowHeights(true);
    tree_->setEditTriggers(QAbstractItemView::NoEditTriggers);
    layout->addWidget(tree_, 1);
    tree_->expandAll();
    connect(search_, &QLineEdit::textChanged, this, [this](const QString& text) {
        filter_->setFilterFixedString(text.trimmed());
        tree_->expandAll();
    });
    auto* buttons = new QDialogButtonBox(QDialogButtonBox::Ok | QDialogButtonBox::Cancel, this);
    layout->addWidget(buttons);
    connect(buttons, &QDialogButtonBox::accepted, this, &QDialog::accept);
    connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
    search_->setFocus();
    resize(420, 560);
}

QStandardItem* ColumnDialog::add_section(const QString& title) {
    auto section = std::make_unique<QStandardItem>(title);
    section->setFlags(Qt::ItemIsEnabled);
    QFont bold = font();
    bold.setBold(true);
    section->setFont(bold);
    QStandardItem* added = section.release();  // the model owns it
    model_->appendRow(added);
    return added;
}

void ColumnDialog::add_item(QStandardItem* section, const QString& id, const QString& text) {
    auto item = std::make_unique<QStandardItem>(text);
    item->setFlags(Qt::ItemIsEnabled | Qt::ItemIsSelectable | Qt::ItemIsUserCheckable);
    item->setCheckState(shown_.contains(id) ? Qt::Checked : Qt::Unchecked);
    item->setData(id, kIdRole);
    item->setToolTip(plain_text(id));
    section->appendRow(item.release());
}

void ColumnDialog::add_known(const RunsModel& runs) {
    const std::array<std::pair<const char*, int>, 8> given{{{"star", RunsModel::Star},
                                                            {"started", RunsModel::Started},
                                                            {"duration", RunsModel::Duration},
                                                            {"nodes", RunsModel::Nodes},
                                                            {"ranks", RunsModel::Ranks},
                                                            {"outcome", RunsModel::State},
                                                            {"labels", RunsModel::Labels},
                                                            {"summary", RunsModel::Summary}}};
    QStandardItem* section = add_section(tr("Run"));
    for (const auto& [id, column] : given) {
        add_item(section, QString::fromLatin1(id),
                 column == RunsModel::Star ? tr("Star") : runs.headerData(column, Qt::Horizontal).toString());
    }
    for (const auto& key : run_column_keys()) {
        const RunColumn column{RunColumn::Kind::Run, key};
        add_item(section, qs(column.id()), run_column_text(column));
    }
    std::set<std::string> metrics;
    std::set<std::string> keys;
    for (const auto& [run_id, summary] : runs.summaries()) {
        for (const auto& [name, stats] : summary->metrics) {
            if (metrics.size() < kMostNames) {
                metrics.insert(name);
            }
        }
        for (const auto& [key, value] : summary->job) {
            if (keys.size() < kMostNames) {
                keys.insert(key);
            }
        }
    }
    for (const RunColumn& column : runs.chosen()) {  // also where no run has it any more
        if (column.kind != RunColumn::Kind::Run) {
            (column.kind == RunColumn::Kind::Job ? keys : metrics).insert(column.key);
        }
    }
    section = add_section(tr("Metrics"));
    for (const auto& name : metrics) {
        for (const ColumnStat stat :
             {ColumnStat::Last, ColumnStat::Best, ColumnStat::Min, ColumnStat::Max, ColumnStat::Mean}) {
            const RunColumn column{RunColumn::Kind::Metric, name, stat};
            add_item(section, qs(column.id()), run_column_text(column));
        }
    }
    section = add_section(tr("Job"));
    for (const auto& key : keys) {
        add_item(section, qs(RunColumn{RunColumn::Kind::Job, key}.id()), qs(key));
    }
}

QStringList ColumnDialog::chosen() const {
    QStringList checked;
    for (int i = 0; i < model_->rowCount(); ++i) {
        const QStandardItem* section = model_->item(i);
        for (int k = 0; k < section->rowCount(); ++k) {
            if (section->child(k)->checkState() == Qt::Checked) {
                checked += section->child(k)->data(kIdRole).toString();
            }
        }
    }
    QStringList ordered{u"name"_s};
    for (const QString& id : shown_) {
        if (checked.contains(id)) {
            ordered += id;
        }
    }
    for (const QString& id : std::as_const(checked)) {
        if (!ordered.contains(id)) {
            ordered += id;
        }
    }
    return ordered;
}

}  // namespace rankscope::gui
