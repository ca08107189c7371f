// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <gui/models/node_samples_model.h>

#include <QFrame>
#include <cstdint>
#include <optional>
#include <vector>

class QLabel;
class QSortFilterProxyModel;
class QTreeView;

namespace rankscope::gui {

class ElidedLabel;
class GpuSquares;

/// The machines of the run: a line per node, its GPUs below, as high as a few lines; more of them scroll. Or, of many
/// GPUs, a square for each.
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
    void set_selected(const std::vector<int>& ranks);

    /// Whether there is a choice between table and squares.
    bool can_be_squares() const { return model_->gpu_count() > 1; }
    bool is_squares() const;
    /// By the user: it stays so for other runs.
    void set_squares(bool on);
    GpuSquares* squares() const { return squares_; }

signals:
    /// The user chose GPUs or nodes on which these ranks compute.
    void ranksChosen(const std::vector<int>& ranks);

protected:
    void resizeEvent(QResizeEvent* event) override;

private:
    void connect_parts();
    void show_parts();
    void fit();
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
    QTreeView* view_;
    std::optional<bool> squares_wanted_;  ///< by the user; nothing: by the number of GPUs
};

}  // namespace rankscope::gui
