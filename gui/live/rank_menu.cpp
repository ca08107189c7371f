// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <gui/live/rank_menu.h>
#include <gui/live/rank_strip.h>
#include <gui/models/rank_table_model.h>
#include <gui/strings.h>
#include <gui/widgets/layout_helpers.h>

#include <QCoreApplication>
#include <QMenu>
#include <QTableView>

namespace rankscope::gui {

namespace {

struct Words {
    Q_DECLARE_TR_FUNCTIONS(RankMenu)
};

/// Its cells as one line that a spreadsheet takes.
QString row_text(const QModelIndex& row) {
    QStringList cells;
    for (int column = 0; column < row.model()->columnCount(); ++column) {
        cells += row.siblingAtColumn(column).data().toString();
    }
    return cells.join(u'\t');
}

void show_menu(QTableView* table, const QPoint& at, const RankMenuActions& actions) {
    const QModelIndex row = table->currentIndex();
    if (!row.isValid()) {
        return;
    }
    const int rank = row.data(RankTableModel::RankRole).toInt();
    const QString node = row.siblingAtColumn(RankTableModel::Node).data().toString();
    auto* menu = new QMenu(table);
    menu->setObjectName(u"rankMenu"_s);
    menu->setAttribute(Qt::WA_DeleteOnClose);
    menu->addAction(Words::tr("&Log of rank %1").arg(rank), table,
                    [actions, rank] { actions.show_log(rank); });
    menu->addAction(Words::tr("All ranks of &its node"), table,
                    [actions, rank] { actions.select_node_of(rank); });
    QAction* clear = menu->addAction(Words::tr("&Clear the selection"), table, &QTableView::clearSelection);
    clear->setShortcut(Qt::Key_Escape);
    menu->addSeparator();
    menu->addAction(Words::tr("Copy the &row"), table, [text = row_text(row)] { copy_to_clipboard(text); });
    menu->addAction(Words::tr("Copy the name of the &node"), table, [node] { copy_to_clipboard(node); });
    menu->popup(at);
}

}  // namespace

void add_rank_menu(QTableView* table, RankSquares* squares, const RankMenuActions& actions) {
    table->setContextMenuPolicy(Qt::CustomContextMenu);
    QObject::connect(
        table, &QTableView::customContextMenuRequested, table, [table, actions](const QPoint& at) {
            // The menu key has no place: the current row is meant.
            const QPoint place =
                table->indexAt(at).isValid() ? at : table->visualRect(table->currentIndex()).bottomLeft();
            show_menu(table, table->viewport()->mapToGlobal(place), actions);
        });
    squares->setContextMenuPolicy(Qt::CustomContextMenu);
    QObject::connect(squares, &QWidget::customContextMenuRequested, table,
                     [table, squares, actions](const QPoint& at) {
                         if (const int rank = squares->rank_at(at); rank >= 0) {
                             actions.select(rank);
                             show_menu(table, squares->mapToGlobal(at), actions);
                         }
                     });
}

}  // namespace rankscope::gui
