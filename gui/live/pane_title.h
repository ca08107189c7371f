// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <QWidget>

class QMenu;
class QToolButton;

namespace rankscope::gui {

/// The bar of a pane that can be moved: its name, where it can go, hide. Takes no room while it is hidden.
class PaneTitle : public QWidget {
    Q_OBJECT

public:
    PaneTitle(const QString& name, QWidget* parent);

    /// Filled before it opens.
    QMenu* menu() const { return menu_; }
    /// The pane is a window of its own: it can be pinned.
    void set_window(bool on);
    /// Its window stays while another page is on view.
    bool is_pinned() const;
    QSize sizeHint() const override;
    QSize minimumSizeHint() const override;

signals:
    void hideRequested();
    void pinned(bool on);

private:
    QMenu* menu_;
    QToolButton* pin_;
};

}  // namespace rankscope::gui
