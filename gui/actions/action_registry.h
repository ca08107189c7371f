// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <QObject>
#include <QString>
#include <QStringList>
#include <functional>
#include <map>
#include <vector>

class QAction;
class QMenu;
class QWidget;

namespace rankscope::gui {

/// What the window can do at the user's wish.
struct ActionSpec {
    QString id;     ///< for settings and recent commands: "page.fleet"; never translated
    QString text;   ///< with its mnemonic
    QString group;  ///< where it belongs: "Nodes"
    std::function<void()> run;
    QString keys = {};                      ///< default shortcut in QKeySequence's portable form
    std::function<QString()> blocked = {};  ///< why it cannot be done now; empty: it can
    std::function<bool()> checked = {};     ///< of what can be on or off
    QString also = {};         ///< a second default shortcut, as the user knows it from elsewhere
    QWidget* where = nullptr;  ///< where the shortcuts hold; null: in the whole window
};

/// Keys in QKeySequence's portable form as they are shown.
QString native_keys(const QString& portable);

/// The actions of a window, each once: menus, command palette and the list of shortcuts show the same. The window's
/// thread only.
class ActionRegistry : public QObject {
    Q_OBJECT

public:
    struct Entry {
        ActionSpec spec;
        QAction* action = nullptr;

        QString name() const;  ///< the text without mnemonic
        QString keys() const;  ///< as they are now, portable
        QString blocked() const { return spec.blocked ? spec.blocked() : QString(); }
    };

    /// `window`: where the shortcuts hold.
    explicit ActionRegistry(QWidget* window);

    QAction* add(ActionSpec spec);
    /// A menu of these actions, by id; an empty id is a separator. Shows which can be done now, whenever it opens.
    void fill(QMenu* menu, const std::vector<QString>& ids);
    const std::vector<Entry>& entries() const { return entries_; }
    const Entry* find(const QString& id) const;

    /// The user's keys by id; all others get their default.
    void set_keys(const std::map<QString, QString>& changed);
    /// By id, with the user's keys `changed`: in portable form, its own first, then those of the keypad or elsewhere. No
    /// two actions have the same where both hold; the user's own choice counts before a default.
    std::map<QString, QStringList> keys_in_force(const std::map<QString, QString>& changed) const;
    /// Other actions that have these keys where `but_id` holds.
    std::vector<const Entry*> owners_of(const QString& keys, const QString& but_id,
                                        const std::map<QString, QString>& changed) const;

signals:
    /// The user wanted an action that cannot be done now.
    void refused(const QString& name, const QString& reason);

private:
    void watch(QMenu* menu);

    QWidget* window_;
    std::vector<Entry> entries_;
};

}  // namespace rankscope::gui
