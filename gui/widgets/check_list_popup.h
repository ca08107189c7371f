// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <QFrame>

class QLabel;
class QLineEdit;
class QListView;
class QSortFilterProxyModel;
class QStandardItem;
class QStandardItemModel;
class QVBoxLayout;

namespace rankscope::gui {

/// Below a button: a list with a check box for every entry and a search field. Space checks, Enter in the search field checks
/// the first entry found, Escape closes.
class CheckListPopup : public QFrame {
    Q_OBJECT

public:
    /// The parts are called `object_name` with Popup, Search and List.
    CheckListPopup(const QString& object_name, int width, QWidget* button);

    QLineEdit* search() const { return search_; }
    QListView* list() const { return list_; }
    QStandardItemModel* model() const { return model_; }
    /// Adds an entry that can be checked. The model owns it.
    QStandardItem* add_entry();
    /// What stands below the list goes here.
    QVBoxLayout* rows() const { return rows_; }
    void set_searchable(bool on);
    void open();

protected:
    bool eventFilter(QObject* object, QEvent* event) override;

private:
    int width_;
    QVBoxLayout* rows_;
    QLineEdit* search_;
    QListView* list_;
    QLabel* nothing_;  ///< no entry has what was typed
    QStandardItemModel* model_;
    QSortFilterProxyModel* proxy_;
};

}  // namespace rankscope::gui
