// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <QStringList>
#include <QToolButton>
#include <vector>

class QFrame;
class QLabel;
class QLineEdit;
class QListView;
class QSortFilterProxyModel;
class QStandardItemModel;

namespace rankscope::gui {

/// A button, and below it a list with a check box for every entry and a search field. Space checks, Enter in the search
/// field checks the first entry found, Escape closes.
class CheckChooser : public QToolButton {
    Q_OBJECT

public:
    struct Entry {
        QString id;
        QString text;
    };
    /// `name`: before "3 of 120" on the button, with its mnemonic. The object is called `object_name`, its parts
    /// `object_name` with Popup, Search and List.
    CheckChooser(const QString& name, const char* object_name, QWidget* parent = nullptr);

    void set_entries(const std::vector<Entry>& entries, const QStringList& checked);
    /// Those checked before in their order, then new ones.
    const QStringList& checked() const { return checked_; }
    QListView* list() const { return list_; }
    QLineEdit* search() const { return search_; }

signals:
    /// The user has changed checked().
    void chosen(const QStringList& ids);

protected:
    bool eventFilter(QObject* object, QEvent* event) override;

private:
    void make_popup();
    void open_popup();
    void take_changes();
    void update_texts();

    QString name_;
    QFrame* popup_;
    QLineEdit* search_;
    QListView* list_;
    QLabel* nothing_;  ///< no entry has what was typed
    QStandardItemModel* model_;
    QSortFilterProxyModel* proxy_;
    QStringList checked_;
    bool filling_ = false;  ///< changes are ours, not the user's
};

}  // namespace rankscope::gui
