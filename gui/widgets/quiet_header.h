// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <QHeaderView>

namespace rankscope::gui {

/// A table's header as flat as the page. The sort sign sits above the text, where it takes no room from it.
class QuietHeader : public QHeaderView {
    Q_OBJECT

public:
    explicit QuietHeader(QWidget* parent = nullptr);

    QSize sizeHint() const override;

protected:
    void paintSection(QPainter* painter, const QRect& rect, int section) const override;
    void paintEvent(QPaintEvent* event) override;
};

}  // namespace rankscope::gui
