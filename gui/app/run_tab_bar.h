// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <QTabBar>

namespace rankscope::gui {

/// Tabs with a sign, a name that is shortened in the middle, and a button that closes. What does not fit scrolls. A
/// middle click closes, too.
class RunTabBar : public QTabBar {
    Q_OBJECT

public:
    explicit RunTabBar(QWidget* parent);

    int add(const QString& name);
    void set_name(int index, const QString& name);
    /// `lines` as plain text.
    void set_tip(int index, const QStringList& lines);

signals:
    /// -1: beside the tabs.
    void menuRequested(int index, const QPoint& at);

protected:
    QSize tabSizeHint(int index) const override;
    QSize minimumTabSizeHint(int index) const override;
    void mouseReleaseEvent(QMouseEvent* event) override;
    void contextMenuEvent(QContextMenuEvent* event) override;
};

}  // namespace rankscope::gui
