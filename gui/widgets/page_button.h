// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <QToolButton>

namespace rankscope::gui {

/// A button of the bar that switches pages. Screen readers announce it as a tab, selected or not; a plain
/// checkable tool button is announced as a check box.
class PageButton : public QToolButton {
    Q_OBJECT

public:
    explicit PageButton(QWidget* parent);
};

}  // namespace rankscope::gui
