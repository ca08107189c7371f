// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <QAbstractScrollArea>

namespace rankscope::gui {

/// Room for a widget that may want more height than there is. A page gets all of the room and is scrolled where even its
/// least height is more; a slot is as high as its parts want, up to a most, and scrolls the rest. Its own least height is
/// small either way: no content makes a window higher than the screen.
class FittingScroll : public QAbstractScrollArea {
    Q_OBJECT

public:
    enum class Kind { Page, Slot };
    FittingScroll(Kind kind, QWidget* content, QWidget* parent);

    QWidget* content() const { return content_; }
    /// A slot is no higher than this share of another widget.
    void set_most(QWidget* of, double share);
    QSize sizeHint() const override;
    QSize minimumSizeHint() const override;

protected:
    void resizeEvent(QResizeEvent* event) override;
    void scrollContentsBy(int dx, int dy) override;
    bool eventFilter(QObject* object, QEvent* event) override;

private:
    void watch_parts();
    void fit();
    void place();
    void reveal(QWidget* now);

    Kind kind_;
    QWidget* content_;
    QWidget* most_of_ = nullptr;
    double most_share_ = 1;
    bool placing_ = false;
};

/// The least height with which a widget shows all of itself at a width. Qt takes the wanted height of every part that
/// wraps text, also where it could do with less.
int least_height(const QWidget& widget, int width);

}  // namespace rankscope::gui
