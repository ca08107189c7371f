// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <gui/data/live_model.h>
#include <gui/data/rank_holds.h>
#include <gui/data/rank_means.h>

#include <QAbstractTableModel>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace rankscope::gui {

/// One row per rank of the run that Live shows: who it is, the chosen metrics, how it ended.
class RankTableModel : public QAbstractTableModel {
    Q_OBJECT

public:
    /// The metrics follow Epoch, one column each; the last column is the exit.
    enum Column { Rank, Node, Device, Place, Phase, Step, Epoch, FIRST_METRIC };
    enum Role { SortRole = Qt::UserRole, PhaseRole, RankRole, StaleRole, HoldRole };

    explicit RankTableModel(QObject* parent = nullptr);

    void set_live(LiveModel* live);
    /// The metrics to show, in this order; those that the run does not report have no column.
    void set_metrics(const std::vector<std::string>& names);
    /// Reads the run again: rows and columns when their number has changed, else values. The page calls it a
    /// few times a second. `now_us`: how old the last sign of a silent node is.
    void refresh(std::int64_t now_us = 0);
    /// Shows means over a part of the run instead of the last values: set_means() brings them, until then there are none.
    void show_means(bool on);
    bool shows_means() const { return shows_means_; }
    void set_means(RankMeans means);
    /// Of the metrics' columns.
    std::vector<MetricId> metric_ids() const;
    /// Whether the exit column has anything to show.
    bool any_exit() const;
    /// Whether the ranks have places in a mesh.
    bool any_place() const { return live_ && !live_->mesh()->empty(); }
    int exit_column() const { return FIRST_METRIC + int(metrics_.size()); }
    /// The column of a metric; -1: none.
    int column_of(const std::string& name) const;

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role = Qt::DisplayRole) const override;

private:
    struct Shown {
        std::string name;
        MetricId id{};
        bool operator==(const Shown&) const = default;
    };
    std::vector<Shown> reported() const;
    void read_run();
    void values_changed();
    const RankHold& hold_of(const RankState& rank) const;
    /// The link to the rank's node when that does not answer and the rank has not ended; else null.
    const NodeLink* broken_link(const RankState& rank) const;
    bool left_aligned(int column) const;
    QVariant display(const RankState& rank, int column) const;
    std::optional<double> value_of(const RankState& rank, MetricId metric) const;
    QVariant sort_key(const RankState& rank, int column) const;
    qlonglong place_key(int rank) const;
    QString tool_tip(const RankState& rank) const;

    LiveModel* live_ = nullptr;
    std::vector<std::string> wanted_;
    std::vector<Shown> metrics_;
    std::vector<RankHold> holds_;  ///< by rank
    std::map<std::string, QString> node_labels_;
    bool shows_means_ = false;
    RankMeans means_;
    int rows_ = 0;
    std::int64_t now_us_ = 0;
};

/// "exit code 1", "SIGKILL", "ok": short, for a table cell; empty while it runs.
QString short_exit_text(const RankState& rank);

}  // namespace rankscope::gui
