// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <QRect>
#include <QWidget>
#include <vector>

namespace rankscope::gui {

/// One line that says which curve is whose: ranks by colour up to 16, a band's parts above that. A click on a rank
/// selects it.
class LegendStrip : public QWidget {
    Q_OBJECT

public:
    explicit LegendStrip(QWidget* parent = nullptr);
    void set_ranks(int count, bool band, const std::vector<int>& selected);

    QSize sizeHint() const override;
    QSize minimumSizeHint() const override;
    /// The rank whose entry is under a point; -1: none.
    int rank_at(const QPoint& point) const;
    /// Where a rank's entry is drawn; empty: nowhere.
    QRect entry_of(int rank) const;

signals:
    void rankClicked(int rank);

protected:
    bool event(QEvent* event) override;
    void paintEvent(QPaintEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;

private:
    struct Entry {
        QString text;
        QColor color;
        double height = 2;  ///< of its sample: a line, or an area
        int rank = -1;      ///< -1: a part of a band
        QRect box = {};     ///< empty: no room for it
    };
    std::vector<Entry> entries() const;
    /// The entries with their places; those behind the last one that fits have none.
    std::vector<Entry> laid_out() const;

    int count_ = 0;
    bool band_ = false;
    std::vector<int> selected_;
};

}  // namespace rankscope::gui
