// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <base/check.h>
#include <gui/actions/action_registry.h>
#include <gui/actions/key_hint.h>
#include <gui/strings.h>

#include <QAction>
#include <QKeySequence>
#include <QMenu>
#include <QTimer>
#include <QWidget>
#include <algorithm>
#include <utility>

namespace rankscope::gui {

namespace {

QKeySequence sequence_of(const QString& portable) {
    return QKeySequence::fromString(portable, QKeySequence::PortableText);
}

/// Whether one focus can be where both hold; null: in the whole window.
bool hold_together(const QWidget* one, const QWidget* other) {
    return one == nullptr || other == nullptr || one == other || one->isAncestorOf(other) ||
           other->isAncestorOf(one);
}

/// An action's keys, whether or not another has them.
QStringList wanted_keys(const ActionSpec& spec, const std::map<QString, QString>& changed) {
    const auto own = changed.find(spec.id);
    const QStringList wanted =
        own == changed.end() ? QStringList{spec.keys, spec.also} : QStringList{own->second};
    QStringList all;
    for (const QString& keys : wanted) {
        if (keys.isEmpty()) {
            continue;
        }
        all += keys;
        // The keypad's Enter is another key.
        if (keys == u"Return"_s || keys.endsWith(u"+Return"_s)) {
            all += keys.chopped(QStringView(u"Return").size()) + u"Enter"_s;
        }
    }
    return all;
}

}  // namespace

QString ActionRegistry::Entry::name() const {
    QString text = spec.text;
    return text.remove(u'&');
}

QString ActionRegistry::Entry::keys() const {
    return action->shortcut().toString(QKeySequence::PortableText);
}

QString native_keys(const QString& portable) {
    return sequence_of(portable).toString(QKeySequence::NativeText);
}

ActionRegistry::ActionRegistry(QWidget* window) : QObject(window), window_(window) {}

QAction* ActionRegistry::add(ActionSpec spec) {
    RANKSCOPE_CHECK(find(spec.id) == nullptr, return find(spec.id)->action);
    auto* action = new QAction(spec.text, this);
    action->setObjectName(spec.id);
    action->setCheckable(bool(spec.checked));
    // The shortcut holds without a menu, too.
    if (spec.where != nullptr) {
        action->setShortcutContext(Qt::WidgetWithChildrenShortcut);
        spec.where->addAction(action);
    } else {
        window_->addAction(action);
    }
    connect(action, &QAction::triggered, this, [this, id = spec.id] {
        const Entry* entry = find(id);
        if (const QString reason = entry->blocked(); !reason.isEmpty()) {
            emit refused(entry->name(), reason);
        } else {
            entry->spec.run();
        }
    });
    entries_.push_back({std::move(spec), action});
    return action;
}

const ActionRegistry::Entry* ActionRegistry::find(const QString& id) const {
    const auto found = std::find_if(entries_.begin(), entries_.end(),
                                    [&id](const Entry& entry) { return entry.spec.id == id; });
    return found == entries_.end() ? nullptr : &*found;
}

void ActionRegistry::fill(QMenu* menu, const std::vector<QString>& ids) {
    for (const QString& id : ids) {
        if (id.isEmpty()) {
            menu->addSeparator();
        } else if (const Entry* entry = find(id)) {
            menu->addAction(entry->action);
        }
    }
    menu->setToolTipsVisible(true);
    watch(menu);
}

// Actions are disabled only while a menu shows them: a shortcut that cannot be done now must say why.
void ActionRegistry::watch(QMenu* menu) {
    connect(menu, &QMenu::aboutToShow, this, [this, menu] {
        for (const Entry& entry : entries_) {
            if (menu->actions().contains(entry.action)) {
                const QString reason = entry.blocked();
                entry.action->setEnabled(reason.isEmpty());
                entry.action->setToolTip(reason);
                entry.action->setStatusTip(reason);
                if (entry.spec.checked) {
                    entry.action->setChecked(entry.spec.checked());
                }
            }
        }
    });
    connect(menu, &QMenu::aboutToHide, this, [this] {
        QTimer::singleShot(0, this, [this] {  // what was chosen is triggered before
            for (const Entry& entry : entries_) {
                entry.action->setEnabled(true);
            }
        });
    });
}

void ActionRegistry::set_keys(const std::map<QString, QString>& changed) {
    const auto in_force = keys_in_force(changed);
    for (const Entry& entry : entries_) {
        QList<QKeySequence> shortcuts;
        for (const QString& keys : in_force.at(entry.spec.id)) {
            shortcuts += sequence_of(keys);
        }
        entry.action->setShortcuts(shortcuts);
    }
    update_key_hints(window_, [this](const QString& id) {
        const Entry* entry = find(id);
        return entry == nullptr ? QString() : native_keys(entry->keys());
    });
}

std::map<QString, QStringList> ActionRegistry::keys_in_force(
    const std::map<QString, QString>& changed) const {
    std::map<QString, QStringList> all;
    std::vector<std::pair<QKeySequence, const QWidget*>> taken;
    for (const bool own : {true, false}) {
        for (const Entry& entry : entries_) {
            if (changed.contains(entry.spec.id) != own) {
                continue;
            }
            QStringList& keys = all[entry.spec.id];
            for (const QString& wanted : wanted_keys(entry.spec, changed)) {
                const QKeySequence sequence = sequence_of(wanted);
                const bool free = std::none_of(taken.begin(), taken.end(), [&](const auto& other) {
                    return other.first == sequence && hold_together(other.second, entry.spec.where);
                });
                if (free) {
                    keys += wanted;
                    taken.emplace_back(sequence, entry.spec.where);
                }
            }
        }
    }
    return all;
}

std::vector<const ActionRegistry::Entry*> ActionRegistry::owners_of(
    const QString& keys, const QString& but_id, const std::map<QString, QString>& changed) const {
    const Entry* asking = find(but_id);
    const QWidget* where = asking == nullptr ? nullptr : asking->spec.where;
    const auto in_force = keys_in_force(changed);
    std::vector<const Entry*> owners;
    for (const Entry& entry : entries_) {
        const QStringList& own = in_force.at(entry.spec.id);
        if (entry.spec.id != but_id && !keys.isEmpty() && hold_together(where, entry.spec.where) &&
            std::any_of(own.begin(), own.end(),
                        [&](const QString& each) { return sequence_of(each) == sequence_of(keys); })) {
            owners.push_back(&entry);
        }
    }
    return owners;
}

}  // namespace rankscope::gui
