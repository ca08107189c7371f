// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <base/check.h>
#include <gui/actions/action_registry.h>

#include <QAction>
#include <QKeySequence>
#include <QMenu>
#include <QTimer>
#include <QWidget>
#include <algorithm>
#include <utility>

namespace rankscope::gui {

QString ActionRegistry::Entry::name() const {
    QString text = spec.text;
    return text.remove(u'&');
}

QString ActionRegistry::Entry::keys() const {
    return action->shortcut().toString(QKeySequence::PortableText);
}

ActionRegistry::ActionRegistry(QWidget* window) : QObject(window), window_(window) {}

QAction* ActionRegistry::add(ActionSpec spec) {
    RANKSCOPE_CHECK(find(spec.id) == nullptr, return find(spec.id)->action);
    auto* action = new QAction(spec.text, this);
    action->setObjectName(spec.id);
    action->setShortcut(QKeySequence::fromString(spec.keys, QKeySequence::PortableText));
    action->setCheckable(bool(spec.checked));
    window_->addAction(action);  // the shortcut holds without a menu, too
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
    for (const Entry& entry : entries_) {
        const auto own = changed.find(entry.spec.id);
        const QString& keys = own == changed.end() ? entry.spec.keys : own->second;
        entry.action->setShortcut(QKeySequence::fromString(keys, QKeySequence::PortableText));
    }
}

const ActionRegistry::Entry* ActionRegistry::owner_of(const QString& keys, const QString& but_id,
                                                      const std::map<QString, QString>& changed) const {
    const QKeySequence wanted = QKeySequence::fromString(keys, QKeySequence::PortableText);
    for (const Entry& entry : entries_) {
        const auto own = changed.find(entry.spec.id);
        const QString& text = own == changed.end() ? entry.spec.keys : own->second;
        if (entry.spec.id != but_id && !wanted.isEmpty() &&
            QKeySequence::fromString(text, QKeySequence::PortableText) == wanted) {
            return &entry;
        }
    }
    return nullptr;
}

}  // namespace rankscope::gui
