// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <gui/models/node_samples_model.h>

#include <QFrame>
#include <cstdint>
#include <optional>
#include <vector>

class QLabel;
class QScrollArea;
class QSortFilterProxyModel;
class QTreeView;

namespace rankscope::gui {

class ElidedLabel;
class GpuSquares;

/// The machines of the run: a line per node, its GPUs below. Or, of many GPUs, a square for each. Takes any height, what
/// has no room scrolls; wants a few lines, or all squares.
class TelemetryStrip : public QFrame {
    Q_OBJECT

public:
    /// Above this number of GPUs they are squares, unless the user wants the table.
    static constexpr int kMostRows = 16;

    explicit TelemetryStrip(QWidget* parent = nullptr);
    /// The run to show; it must outlive this or be replaced.
    void set_data(const LiveData* run);
    /// New samples have arrived, or time has passed. `live`: more may arrive.
    void refresh(bool live, std::int64_t now_us);
    /// Only these times of the run.
    void set_range(const TimeSpan& span);
    void set_selected(const std::vector<int>& ranks);
    /// It wants a share of this widget's height; null: the fewest lines.
    void set_page(const QWidget* page) { page_ = page; }
    /// Something else needs the room: the fewest lines, GPUs as squares unless the user wants the table.
    void set_tight(bool on);
    QSize sizeHint() const override;

    /// Whether there is a choice between table and squares.
    bool can_be_squares() const { return model_->gpu_count() > 1; }
    bool is_squares() const;
    /// By the user: it stays so for other runs.
    void set_squares(bool on);
    GpuSquares* squares() const { return squares_; }

signals:
    /// The user chose GPUs or nodes on which these ranks compute.
    void ranksChosen(const std::vector<int>& ranks);
    /// Another height is wanted.
    void hintChanged();

protected:
    void resizeEvent(QResizeEvent* event) override;

private:
    void connect_parts();
    void show_parts();
    void fit();
    int wanted_height() const;
    void unfold();
    void drop_columns();
    std::vector<int> ranks_of_rows() const;
    std::vector<QModelIndex> gpu_rows() const;

    NodeSamplesModel* model_;
    QSortFilterProxyModel* proxy_;
    QLabel* empty_;
    QWidget* squares_part_;
    ElidedLabel* summary_;
    GpuSquares* squares_;
    QScrollArea* scroll_;  ///< of the squares
    QTreeView* view_;
    const QWidget* page_ = nullptr;
    bool tight_ = false;
    int hint_ = 0;                        ///< the height that was wanted last
    std::optional<bool> squares_wanted_;  ///< by the user; nothing: by the number of GPUs
};

}  // namespace rankscope::gui
