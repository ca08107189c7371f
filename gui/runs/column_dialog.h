// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <QDialog>
#include <QStringList>

class QLineEdit;
class QSortFilterProxyModel;
class QStandardItem;
class QStandardItemModel;
class QTreeView;

namespace rankscope::gui {

class RunsModel;

/// Which columns the list of runs shows: of every run, statistics of every metric, every key of the jobs.
class ColumnDialog : public QDialog {
    Q_OBJECT

public:
    /// `shown`: ids of the columns shown now.
    ColumnDialog(const RunsModel& runs, const QStringList& shown, QWidget* parent);

    /// Ids, those that were shown before first, in their order.
    QStringList chosen() const;

private:
    QStandardItem* add_section(const QString& title);
    void add_item(QStandardItem* section, const QString& id, const QString& text);
    void add_known(const RunsModel& runs);

    QStringList shown_;
    QLineEdit* search_;
    QTreeView* tree_;
    QStandardItemModel* model_;
    QSortFilterProxyModel* filter_;
};

}  // namespace rankscope::gui
