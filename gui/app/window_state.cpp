// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <gui/app/window_state.h>
#include <gui/live/live_panes.h>
#include <gui/strings.h>

#include <QHeaderView>
#include <QSettings>
#include <QSplitter>
#include <QTableView>
#include <map>

namespace rankscope::gui {

namespace {

const QString kPanesKey = QStringLiteral("window/livePage/panes");

/// A splitter by its name, or its place in the page, and its parts, so that another layout gets no sizes of this one.
QString splitter_key(const QWidget& page, int number, const QSplitter& splitter) {
    const QString name =
        splitter.objectName().isEmpty() ? u"splitter"_s + QString::number(number) : splitter.objectName();
    return u"window/%1/%2-%3"_s.arg(page.objectName(), name).arg(splitter.count());
}

QString columns_key(const QWidget& page, const QTableView& table) {
    return u"window/%1/%2-%3"_s.arg(page.objectName(), table.objectName()).arg(table.model()->columnCount());
}

bool is_kept(const QTableView& table) {
    return !table.objectName().isEmpty() && table.model() != nullptr && table.model()->columnCount() > 0;
}

}  // namespace

void save_sizes(const QWidget& page) {
    QSettings file;
    int number = 0;
    for (const QSplitter* splitter : page.findChildren<QSplitter*>()) {
        file.setValue(splitter_key(page, number++, *splitter), splitter->saveState());
    }
    for (const QTableView* table : page.findChildren<QTableView*>()) {
        if (is_kept(*table)) {
            file.setValue(columns_key(page, *table), table->horizontalHeader()->saveState());
        }
    }
}

void restore_sizes(QWidget& page) {
    const QSettings file;
    int number = 0;
    for (QSplitter* splitter : page.findChildren<QSplitter*>()) {
        splitter->restoreState(file.value(splitter_key(page, number++, *splitter)).toByteArray());
    }
    for (QTableView* table : page.findChildren<QTableView*>()) {
        const QByteArray state =
            is_kept(*table) ? file.value(columns_key(page, *table)).toByteArray() : QByteArray();
        if (!state.isEmpty()) {
            table->horizontalHeader()->restoreState(state);
        }
    }
}

void copy_sizes(const QWidget& from, QWidget& to) {
    std::map<QString, QByteArray> states;
    int number = 0;
    for (const QSplitter* splitter : from.findChildren<QSplitter*>()) {
        states[splitter_key(from, number++, *splitter)] = splitter->saveState();
    }
    for (const QTableView* table : from.findChildren<QTableView*>()) {
        if (is_kept(*table)) {
            states[columns_key(from, *table)] = table->horizontalHeader()->saveState();
        }
    }
    number = 0;
    for (QSplitter* splitter : to.findChildren<QSplitter*>()) {
        splitter->restoreState(states[splitter_key(to, number++, *splitter)]);
    }
    for (QTableView* table : to.findChildren<QTableView*>()) {
        if (is_kept(*table)) {
            table->horizontalHeader()->restoreState(states[columns_key(to, *table)]);
        }
    }
}

void save_panes(const LivePanes& panes) {
    QSettings file;
    const QByteArray state = panes.state();
    if (state.isEmpty()) {
        file.remove(kPanesKey);
    } else {
        file.setValue(kPanesKey, state);
    }
}

void restore_panes(LivePanes& panes) {
    panes.set_state(QSettings().value(kPanesKey).toByteArray());
}

}  // namespace rankscope::gui
