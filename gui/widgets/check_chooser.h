// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <QStringList>
#include <QToolButton>
#include <vector>

class QLineEdit;
class QListView;

namespace rankscope::gui {

class CheckListPopup;

/// A button that says how many of its entries are checked, and opens their list.
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
    QListView* list() const;
    QLineEdit* search() const;

signals:
    /// The user has changed checked().
    void chosen(const QStringList& ids);

private:
    void take_changes();
    void update_texts();

    QString name_;
    CheckListPopup* popup_;
    QStringList checked_;
    bool filling_ = false;  ///< changes are ours, not the user's
};

}  // namespace rankscope::gui
