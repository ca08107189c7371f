// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <gui/data/live_data.h>

#include <QAbstractItemModel>
#include <string>
#include <vector>

namespace rankscope::gui {

/// The machines of a run: a row per node, below it a row per GPU. What a node does not have, or does not
/// report, is a dash, never 0. Of several GPUs the node's row has mean use, memory and power together, and the
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
    /// StaleRole: the figures are older than they should be.
    enum Role { SortRole = Qt::UserRole, HistoryRole, StaleRole };

    using QAbstractItemModel::QAbstractItemModel;

    /// The run to show; it must outlive this or be replaced. Null: none.
    void set_data(const LiveData* data);
    /// New samples have arrived, or time has passed. `now_us`: the current time, for their age; 0: the run is over, and
    /// they are its last.
    void refresh(std::int64_t now_us = 0);
    /// Seconds since the last sample of this node when it is late; 0: it is not.
    double age_s(const std::string& node) const;
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
    std::int64_t now_us_ = 0;
};

}  // namespace rankscope::gui
