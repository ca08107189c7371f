// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <QObject>
#include <QPointer>

class QFocusFrame;
class QWidget;

namespace rankscope::gui {

/// Shows where the keyboard's focus is on the views that the program paints itself (plots, strips, logs), and in high
/// contrast on every widget. Others show it by their style.
class FocusRing : public QObject {
    Q_OBJECT

public:
    /// One for the whole program.
    explicit FocusRing(QObject* parent);

    /// The widget with the ring; null: none.
    QWidget* ringed() const { return ringed_; }

private:
    void follow(QWidget* focused);

    QPointer<QFocusFrame> frame_;
    QPointer<QWidget> ringed_;
};

}  // namespace rankscope::gui
