// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <gui/widgets/page_button.h>

#include <QFrame>
#include <array>

namespace rankscope::gui {

/// The buttons at the left edge that switch between the pages.
class NavBar : public QFrame {
    Q_OBJECT

public:
    explicit NavBar(QWidget* parent);

    void set_current(int page);
    /// A sign on a page's button: something happened there. `text` says what, for tool tip and screen reader.
    void set_mark(int page, PageButton::Mark mark, const QString& text);

signals:
    void chosen(int page);

protected:
    void changeEvent(QEvent* event) override;

private:
    void draw_icons();
    void fit();
    void set_tip(std::size_t page, const QString& news);

    std::array<PageButton*, 6> buttons_{};
};

}  // namespace rankscope::gui
