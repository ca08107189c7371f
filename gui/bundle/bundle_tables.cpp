// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <gui/bundle/bundle_tables.h>
#include <gui/data/log_store.h>
#include <gui/strings.h>
#include <gui/texts.h>
#include <gui/widgets/layout_helpers.h>

#include <QCoreApplication>
#include <QHeaderView>
#include <QTableWidget>
#include <algorithm>

namespace rankscope::gui {

namespace {

struct Words {
    Q_DECLARE_TR_FUNCTIONS(SaveBundleDialog)
};

constexpr std::size_t kLongest = 400;  ///< bytes of a text: names come from logs
constexpr int kWidest = 260;           ///< of a column
constexpr int kRoom = 16;

QTableWidget* make_table(const char* object_name, const QString& name, const QStringList& titles,
                         QWidget* parent) {
    auto* table = new QTableWidget(0, int(titles.size()), parent);
    tune_table(table, object_name, name);
    table->setHorizontalHeaderLabels(titles);
    table->setEditTriggers(QAbstractItemView::NoEditTriggers);
    table->horizontalHeader()->setStretchLastSection(true);
    table->horizontalHeader()->setDefaultAlignment(Qt::AlignLeft | Qt::AlignVCenter);
    return table;
}

void put(QTableWidget* table, int row, int column, const std::string& text) {
    const QString shown = qs(displayable(text, kLongest));
    auto* item = new QTableWidgetItem(shown);
    item->setToolTip(wrapped_tip(shown));
    table->setItem(row, column, item);
}

void fit_columns(QTableWidget* table) {
    table->resizeColumnsToContents();
    for (int column = 0; column + 1 < table->columnCount(); ++column) {
        table->setColumnWidth(column, std::min(table->columnWidth(column) + kRoom, kWidest));
    }
}

}  // namespace

QTableWidget* make_parts_table(QWidget* parent) {
    return make_table("bundleParts", Words::tr("Files of the bundle"),
                      {Words::tr("File"), Words::tr("Size"), Words::tr("Content")}, parent);
}

void fill_parts(QTableWidget* table, const std::vector<BundlePart>& parts) {
    table->setRowCount(int(parts.size()));
    for (int row = 0; row < table->rowCount(); ++row) {
        const BundlePart& part = parts[std::size_t(row)];
        put(table, row, 0, part.name);
        put(table, row, 1, ss(bytes_text(part.bytes)));
        table->item(row, 1)->setTextAlignment(Qt::AlignRight | Qt::AlignVCenter);
        put(table, row, 2, part.what);
    }
    fit_columns(table);
}

QTableWidget* make_redactions_table(QWidget* parent) {
    return make_table("bundleRedactions", Words::tr("What is replaced"),
                      {Words::tr("What"), Words::tr("Where"), Words::tr("Times"), Words::tr("Why")}, parent);
}

void fill_redactions(QTableWidget* table, const std::vector<Redaction>& redactions) {
    table->setRowCount(int(redactions.size()));
    for (int row = 0; row < table->rowCount(); ++row) {
        const Redaction& redaction = redactions[std::size_t(row)];
        put(table, row, 0, redaction.what);
        put(table, row, 1, redaction.where);
        put(table, row, 2, std::to_string(redaction.times));
        table->item(row, 2)->setTextAlignment(Qt::AlignRight | Qt::AlignVCenter);
        put(table, row, 3, redaction.why);
    }
    fit_columns(table);
}

}  // namespace rankscope::gui
