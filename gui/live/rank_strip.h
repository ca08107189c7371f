// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <gui/data/rank_holds.h>
#include <gui/widgets/square_grid.h>
#include <remote/desk/runs/run/run_state.h>

#include <QWidget>
#include <vector>

class QLabel;

namespace rankscope::gui {

/// A square per rank: its phase as colour and shape, or what a fault makes of it; a gap before another node,
/// crossed where its node does not answer. A thousand fit.
class RankSquares : public SquareGrid {
    Q_OBJECT

public:
    explicit RankSquares(QWidget* parent = nullptr);
    void set_ranks(const std::vector<RankState>* ranks, const std::vector<RankHold>& holds);
    void set_selected(const std::vector<int>& ranks);
    const std::vector<int>& selected() const { return selected_; }
    /// The rank under a point, or -1.
    int rank_at(const QPoint& point) const { return at(point); }
    QString tip(int rank) const override;

signals:
    void clicked(int rank);

protected:
    std::size_t count() const override { return known_; }
    bool begins_group(std::size_t rank) const override {
        return (*ranks_)[rank].node != (*ranks_)[rank - 1].node;
    }
    void paintEvent(QPaintEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;

private:
    const RankHold& hold_of(std::size_t rank) const;

    const std::vector<RankState>* ranks_ = nullptr;
    std::vector<RankHold> holds_;  ///< by rank
    std::vector<int> selected_;
    std::size_t known_ = 0;
};

/// The squares and, in words, how many ranks are in which phase.
class RankStrip : public QWidget {
    Q_OBJECT

public:
    explicit RankStrip(QWidget* parent = nullptr);
    void set_state(const RunState& state);
    RankSquares* squares() const { return squares_; }
    QString summary() const;

private:
    QLabel* summary_;
    RankSquares* squares_;
};

/// "rank 1: hangs · 3 waiting for it · 4 training · 2 unknown since 11:17:45 on node2"; `holds`: by rank; `culprit`: who
/// is at fault, in words.
QString phase_summary(const std::vector<RankState>& ranks, const std::vector<RankHold>& holds = {},
                      const QString& culprit = {});

}  // namespace rankscope::gui
