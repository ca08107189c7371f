// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <gui/app/run_tab_bar.h>
#include <gui/strings.h>

#include <QContextMenuEvent>
#include <QMouseEvent>
#include <QToolButton>
#include <algorithm>

namespace rankscope::gui {

namespace {

constexpr int kWidest = 240;
constexpr int kNarrowest = 120;

/// An ampersand in a name is no mnemonic.
QString tab_text(QString name) {
    return name.replace(u'&', u"&&"_s).simplified();
}

}  // namespace

RunTabBar::RunTabBar(QWidget* parent) : QTabBar(parent) {
    setAccessibleName(tr("Open runs"));
    setDrawBase(false);
    setExpanding(false);
    setMovable(true);
    setElideMode(Qt::ElideMiddle);
    setUsesScrollButtons(true);
    setIconSize(QSize(16, 16));
    setFocusPolicy(Qt::TabFocus);
}

int RunTabBar::add(const QString& name) {
    const int index = addTab(tab_text(name));
    auto* close = new QToolButton(this);
    close->setObjectName(u"closeTab"_s);
    close->setText(u"×"_s);
    close->setAutoRaise(true);
    close->setFocusPolicy(Qt::NoFocus);  // Ctrl+W does the same
    setTabButton(index, RightSide, close);
    connect(close, &QToolButton::clicked, this, [this, close] {
        for (int i = 0; i < count(); ++i) {
            if (tabButton(i, RightSide) == close) {
                emit tabCloseRequested(i);
                return;
            }
        }
    });
    set_name(index, name);
    return index;
}

void RunTabBar::set_name(int index, const QString& name) {
    if (const QString text = tab_text(name); text != tabText(index)) {
        setTabText(index, text);
    }
    QWidget* close = tabButton(index, RightSide);
    close->setToolTip(tr("Close"));
    close->setAccessibleName(tr("Close %1").arg(name));
}

void RunTabBar::set_tip(int index, const QStringList& lines) {
    const QString tip = u"<p style='white-space:pre'>%1</p>"_s.arg(lines.join(u'\n').toHtmlEscaped());
    if (tip != tabToolTip(index)) {
        setTabToolTip(index, tip);
        setAccessibleTabName(index, lines.join(u", "_s));
    }
}

QSize RunTabBar::tabSizeHint(int index) const {
    const QSize hint = QTabBar::tabSizeHint(index);
    return {std::clamp(hint.width(), kNarrowest, kWidest), hint.height()};
}

QSize RunTabBar::minimumTabSizeHint(int index) const {
    return {kNarrowest, tabSizeHint(index).height()};
}

void RunTabBar::mouseReleaseEvent(QMouseEvent* event) {
    const int index = tabAt(event->position().toPoint());
    if (event->button() == Qt::MiddleButton && index >= 0) {
        emit tabCloseRequested(index);
        event->accept();
        return;
    }
    QTabBar::mouseReleaseEvent(event);
}

void RunTabBar::contextMenuEvent(QContextMenuEvent* event) {
    const bool by_key = event->reason() == QContextMenuEvent::Keyboard;
    const int index = by_key ? currentIndex() : tabAt(event->pos());
    emit menuRequested(index, by_key ? mapToGlobal(tabRect(index).bottomLeft()) : event->globalPos());
}

}  // namespace rankscope::gui
