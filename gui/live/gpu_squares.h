// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <gui/widgets/square_grid.h>

#include <QString>
#include <cstddef>
#include <vector>

namespace rankscope::gui {

class NodeSamplesModel;

/// A square per GPU of a run, coloured by its use; a gap before another node. A red frame: memory errors, or slowed down
/// by heat, power supply or board; a dot: its use is not reported; faded and crossed: the figures are old. A thousand fit.
class GpuSquares : public SquareGrid {
    Q_OBJECT

public:
    explicit GpuSquares(const NodeSamplesModel* model, QWidget* parent = nullptr);
    /// The model has changed.
    void refresh();
    void set_selected(const std::vector<int>& ranks);
    /// The GPU under a point, in the order of the model; -1: none.
    int gpu_at(const QPoint& point) const { return at(point); }
    QString tip(int gpu) const override;
    /// "1,024 GPUs · mean 91 % · lowest 12 %: GPU 3 on node17 · 2 with memory errors".
    QString summary() const;

signals:
    /// The user chose a GPU on which these ranks compute.
    void ranksChosen(const std::vector<int>& ranks);

protected:
    std::size_t count() const override { return gpus_.size(); }
    bool begins_group(std::size_t gpu) const override { return gpus_[gpu].row != gpus_[gpu - 1].row; }
    void paintEvent(QPaintEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;

private:
    struct Place {
        std::size_t row;
        std::size_t gpu;
    };
    struct Counts;

    bool is_stale(const Place& place) const;
    void choose(int gpu);
    void move_to(int gpu);

    const NodeSamplesModel* model_;
    std::vector<Place> gpus_;
    std::vector<int> selected_;  ///< sorted
    int current_ = 0;            ///< of the keyboard
};

}  // namespace rankscope::gui
