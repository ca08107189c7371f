// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <QStringList>
#include <QWidget>

namespace rankscope::gui {

/// Which colour is which run's, over as many lines as it takes, at most three.
class RunLegend : public QWidget {
    Q_OBJECT

public:
    explicit RunLegend(QWidget* parent = nullptr);
    void set_titles(const QStringList& titles);

    bool hasHeightForWidth() const override { return true; }
    int heightForWidth(int width) const override;
    QSize sizeHint() const override;

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    /// Draws, or only measures (`painter` null); the height.
    int lay_out(int width, QPainter* painter) const;

    QStringList titles_;
};

}  // namespace rankscope::gui
