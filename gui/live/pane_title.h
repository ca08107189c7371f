// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <QWidget>

class QMenu;

namespace rankscope::gui {

/// The bar of a pane that can be moved: its name, where it can go, hide. Takes no room while it is hidden.
class PaneTitle : public QWidget {
    Q_OBJECT

public:
    PaneTitle(const QString& name, QWidget* parent);

    /// Filled before it opens.
    QMenu* menu() const { return menu_; }
    QSize sizeHint() const override;
    QSize minimumSizeHint() const override;

signals:
    void hideRequested();

private:
    QMenu* menu_;
};

}  // namespace rankscope::gui
