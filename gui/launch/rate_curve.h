// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <QWidget>
#include <utility>
#include <vector>

namespace rankscope::gui {

/// A small picture of the learning rate over the epochs.
class RateCurve : public QWidget {
    Q_OBJECT

public:
    explicit RateCurve(QWidget* parent = nullptr);

    /// Epoch and rate, ascending.
    void set_points(std::vector<std::pair<double, double>> points);

    QSize sizeHint() const override;

protected:
    void paintEvent(QPaintEvent* event) override;
    bool event(QEvent* event) override;

private:
    QRectF plot_area() const;

    std::vector<std::pair<double, double>> points_;
};

}  // namespace rankscope::gui
