// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <gui/data/gpu_samples.h>
#include <gui/data/live_data.h>
#include <remote/desk/runs/run/fault_marks.h>

#include <QAbstractItemModel>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace rankscope::gui {

/// The machines of a run: a row per node, below it a row per GPU. What a node does not have, or does not
/// report, is a dash, never 0, and its tool tip says why. Of several GPUs the node's row has mean use, memory, power and
/// errors together, the hottest, the lowest clock and the most serious limit.
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
        Clock,
        LimitedBy,
        Ecc,
        Link,
        NUM_COLUMNS
    };
    /// StaleRole: the figures are older than they should be. FaultRole: the figure is one to look into, or the node is at
    /// fault. RanksRole: QList of
    /// the ranks that compute on this GPU or node. RangeRole: the figures are those of a range.
    enum Role { SortRole = Qt::UserRole, HistoryRole, StaleRole, FaultRole, RanksRole, RangeRole };

    struct Row {
        std::string node;
        std::int64_t last_us = 0;
        std::vector<GpuSample> gpus = {};  ///< with the ranks that compute on them
    };

    using QAbstractItemModel::QAbstractItemModel;

    /// The run to show; it must outlive this or be replaced. Null: none.
    void set_data(const LiveData* data);
    /// New samples have arrived, or time has passed. `now_us`: the current time, for their age; 0: the run is over, and
    /// they are its last.
    void refresh(std::int64_t now_us = 0);
    /// Only these times: figures are their means, of temperatures and counters the highest.
    void set_range(const TimeSpan& span);
    bool shows_range() const { return range_ != TimeSpan(); }
    /// Seconds since the last sample of this node when it is late; 0: it is not.
    double age_s(const std::string& node) const;
    /// Some node has GPUs, or a driver for them.
    bool has_gpus() const;
    int gpu_count() const;
    /// In the order of the plan: the master first.
    const std::vector<Row>& rows() const { return rows_; }

    QModelIndex index(int row, int column, const QModelIndex& parent = {}) const override;
    QModelIndex parent(const QModelIndex& index) const override;
    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role = Qt::DisplayRole) const override;

private:
    struct Figure {
        double value = 0;  ///< NaN: absent
        double of = 0;     ///< of how much; NaN: not known
    };

    struct InRange {
        std::int64_t last_us = 0;  ///< of the node when it was counted
        NodeSamples samples;
    };

    std::vector<Row> rows_now();
    /// When the run has ended: since when nothing was heard of a node whose part is not known to be over; 0: it is.
    std::int64_t unknown_since_us(const std::string& node) const {
        const auto silent = marks_.silent.find(node);
        const bool over = data_->state.outcome != Outcome::Running;
        return over && silent != marks_.silent.end() && !shows_range() ? silent->second : 0;
    }
    void count_range(const std::string& node);
    Row row_of(const std::string& node) const;
    const Row& row_at(const QModelIndex& index) const;
    const GpuSample* gpu_at(const QModelIndex& index) const;
    /// What is shown: the newest, or those of the range.
    const NodeSamples& samples_of(const std::string& node) const;
    const NodeSamples& newest_of(const std::string& node) const;
    /// Without a sample for so long, its figures are old.
    std::int64_t late_after_us(const std::string& node) const;
    Figure figure(const QModelIndex& index) const;
    Figure node_figure(const Row& row, int column) const;
    QVariant history(const QModelIndex& index) const;
    QList<int> ranks(const QModelIndex& index) const;
    QString name(const QModelIndex& index) const;
    QString text(const QModelIndex& index) const;
    QString tool_tip(const QModelIndex& index) const;
    QString course(const std::string& node, const std::string& key) const;
    QString node_tip(const Row& row, int column) const;
    bool is_fault(const QModelIndex& index) const;

    const LiveData* data_ = nullptr;
    std::vector<Row> rows_;
    std::map<GpuPlace, std::vector<int>> planned_;
    std::size_t planned_of_ = 0;  ///< number of ranks when it was made
    FaultMarks marks_;
    std::int64_t now_us_ = 0;
    TimeSpan range_;
    std::map<std::string, InRange> in_range_;  ///< by node; only with a range
};

}  // namespace rankscope::gui
