// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <gui/data/live_model.h>
#include <gui/data/rank_holds.h>
#include <gui/widgets/square_grid.h>
#include <remote/desk/runs/run/run_state.h>

#include <QStringList>
#include <QWidget>
#include <memory>
#include <utility>
#include <vector>

class QLabel;

namespace rankscope::gui {

class ComboBox;

/// A square per rank: its phase as colour and shape, or what a fault makes of it; a gap before another node,
/// crossed where its node does not answer. A thousand fit.
class RankSquares : public SquareGrid {
    Q_OBJECT

public:
    explicit RankSquares(QWidget* parent = nullptr);
    void set_ranks(const std::vector<RankState>* ranks, const std::vector<RankHold>& holds);
    /// Puts the squares of each group next to each other, in this order, and other ranks behind them; no groups: those of a node.
    void set_groups(std::vector<std::vector<int>> groups);
    /// For the tool tips.
    void set_mesh(std::shared_ptr<const RunMesh> mesh) { mesh_ = std::move(mesh); }
    void set_selected(const std::vector<int>& ranks);
    const std::vector<int>& selected() const { return selected_; }
    /// The rank under a point, or -1.
    int rank_at(const QPoint& point) const;
    QRect square_of(int rank) const;
    QString tip(int index) const override;

signals:
    void clicked(int rank);

protected:
    std::size_t count() const override { return known_; }
    bool begins_group(std::size_t index) const override;
    void paintEvent(QPaintEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;

private:
    const RankHold& hold_of(std::size_t rank) const;
    void order_ranks();

    const std::vector<RankState>* ranks_ = nullptr;
    std::vector<RankHold> holds_;  ///< by rank
    std::vector<int> selected_;
    std::size_t known_ = 0;
    std::vector<std::vector<int>> groups_;
    std::vector<int> order_;      ///< ranks by square
    std::vector<int> group_of_;   ///< by square; −1: none
    std::vector<int> square_of_;  ///< by rank
    std::shared_ptr<const RunMesh> mesh_;
};

/// The squares and, in words, how many ranks are in which phase; where the ranks have a mesh, a choice of the axis whose
/// groups the squares show.
class RankStrip : public QWidget {
    Q_OBJECT

public:
    explicit RankStrip(QWidget* parent = nullptr);
    void set_live(const LiveModel& live);
    RankSquares* squares() const { return squares_; }
    QString summary() const;

private:
    void show_axes();
    void show_groups();

    QLabel* summary_;
    RankSquares* squares_;
    ComboBox* grouping_;
    std::shared_ptr<const RunMesh> mesh_;
    QStringList axes_;
};

/// "rank 1: hangs · 3 waiting for it · 4 training · 2 unknown since 11:17:45 on node2"; `holds`: by rank; `culprit`: who
/// is at fault, in words.
QString phase_summary(const std::vector<RankState>& ranks, const std::vector<RankHold>& holds = {},
                      const QString& culprit = {});

}  // namespace rankscope::gui
