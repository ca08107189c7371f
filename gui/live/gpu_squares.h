// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <gui/widgets/square_grid.h>

#include <QString>
#include <QWidget>
#include <cstddef>
#include <vector>

namespace rankscope::gui {

class NodeSamplesModel;

/// A square per GPU of a run, coloured by its use; a gap before another node. A red frame: memory errors, or slowed down
/// by heat, power supply or board; a dot: its use is not reported; faded and crossed: the figures are old. A thousand fit.
class GpuSquares : public QWidget {
    Q_OBJECT

public:
    explicit GpuSquares(const NodeSamplesModel* model, QWidget* parent = nullptr);
    /// The model has changed.
    void refresh();
    void set_selected(const std::vector<int>& ranks);
    /// The GPU under a point, in the order of the model; -1: none.
    int gpu_at(const QPoint& point) const { return grid_.at(point); }
    QRect square(int gpu) const { return grid_.square(gpu); }
    /// What its tool tip says.
    QString tip(int gpu) const;
    /// "1,024 GPUs · mean 91 % · lowest 12 %: GPU 3 on node17 · 2 with memory errors".
    QString summary() const;

    bool hasHeightForWidth() const override { return true; }
    int heightForWidth(int width) const override;
    QSize sizeHint() const override;
    QSize minimumSizeHint() const override { return {200, 14}; }

signals:
    /// The user chose a GPU on which these ranks compute.
    void ranksChosen(const std::vector<int>& ranks);

protected:
    bool event(QEvent* event) override;
    void paintEvent(QPaintEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;

private:
    struct Place {
        std::size_t row;
        std::size_t gpu;
    };
    struct Counts;

    SquareGrid lay_out(int width) const;
    bool is_stale(const Place& place) const;
    void choose(int gpu);
    void move_to(int gpu);

    const NodeSamplesModel* model_;
    std::vector<Place> gpus_;
    SquareGrid grid_;
    std::vector<int> selected_;  ///< sorted
    int current_ = 0;            ///< of the keyboard
};

}  // namespace rankscope::gui
