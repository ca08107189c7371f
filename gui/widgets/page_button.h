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
    /// A sign in the corner; each has a colour and a shape.
    enum class Mark { None, Done, Failed };

    explicit PageButton(QWidget* parent);
    void set_mark(Mark mark);
    Mark mark() const { return mark_; }

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    Mark mark_ = Mark::None;
};

}  // namespace rankscope::gui
