// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <gui/plot/panel_item.h>

#include <vector>

namespace rankscope::gui {

/// Small labels in a row, at the right end of a layout element: as many as fit, then how many more there are.
class ChipRow : public PanelItem {
public:
    struct Chip {
        QString text;
        QColor color;
        int rank = -1;
        bool operator==(const Chip&) const = default;
    };
    ChipRow(QCustomPlot* plot, QCPAxis* x, const QCPLayoutElement* place);

    void set_chips(std::vector<Chip> chips) { chips_ = std::move(chips); }
    /// Pixels at the left end that stay free.
    void set_free(int pixels) { free_ = pixels; }
    const std::vector<Chip>& chips() const { return chips_; }
    /// Where a chip is drawn; empty when it does not fit.
    QRectF chip_rect(std::size_t index) const;
    /// The rank of the chip at a place; -1: none.
    int rank_at(const QPointF& place) const;
    /// "+3" at a place: the chips that did not fit.
    QStringList hidden_at(const QPointF& place) const;

protected:
    void draw(QCPPainter* painter) override;

private:
    struct Layout {
        std::vector<QRectF> chips;
        QRectF more;
    };
    Layout layout() const;

    const QCPLayoutElement* place_;
    std::vector<Chip> chips_;
    int free_ = 0;
};

}  // namespace rankscope::gui
