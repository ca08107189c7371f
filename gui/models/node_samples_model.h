// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <gui/data/live_data.h>

#include <QAbstractItemModel>
#include <string>
#include <vector>

namespace rankscope::gui {

/// How the nodes of a run are doing: a row per node, below it a row per GPU. What a node has not, or does not
/// tell, is a dash, never 0. Of several GPUs the node's row has mean use, memory and power together, and the
/// hottest.
class NodeSamplesModel : public QAbstractItemModel {
    Q_OBJECT

public:
    enum Column {
        Node,
        Cpu,
        Memory,
        NetIn,
        NetOut,
        Disk,
        GpuUse,
        GpuMemory,
        Temperature,
        Power,
        NUM_COLUMNS
    };
    enum Role { SortRole = Qt::UserRole, HistoryRole };

    using QAbstractItemModel::QAbstractItemModel;

    /// The run to show; it must outlive this or be replaced. Null: none.
    void set_data(const LiveData* data);
    /// New samples have come.
    void refresh();
    bool has_gpus() const;

    QModelIndex index(int row, int column, const QModelIndex& parent = {}) const override;
    QModelIndex parent(const QModelIndex& index) const override;
    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role = Qt::DisplayRole) const override;

private:
    struct Row {
        std::string node;
        std::vector<int> gpus;
        bool operator==(const Row&) const = default;
    };
    struct Figure {
        double value = 0;  ///< NaN: absent
        double of = 0;     ///< of how much; NaN: not known
    };

    std::vector<Row> rows_now() const;
    const NodeSamples& samples_of(const std::string& node) const;
    Figure figure(const QModelIndex& index) const;
    Figure node_figure(const Row& row, int column) const;
    Figure gpu_figure(const Row& row, int gpu, int column) const;
    QVariant history(const QModelIndex& index) const;
    QString tool_tip(const QModelIndex& index) const;

    const LiveData* data_ = nullptr;
    std::vector<Row> rows_;
};

}  // namespace rankscope::gui
