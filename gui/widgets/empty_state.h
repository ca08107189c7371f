// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <QWidget>

class QLabel;
class QPushButton;

namespace rankscope::gui {

/// What a page shows when it has nothing to show: why, what to do, and the button that does it.
class EmptyState : public QWidget {
    Q_OBJECT

public:
    EmptyState(const QString& title, const QString& text, const QString& action, QWidget* parent = nullptr);
    QPushButton* button() const { return button_; }

protected:
    void showEvent(QShowEvent* event) override;

private:
    void fit();

    QLabel* title_;
    QLabel* text_;
    QPushButton* button_ = nullptr;
};

}  // namespace rankscope::gui
