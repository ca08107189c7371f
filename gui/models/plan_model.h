// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <remote/desk/jobs/plan/launch_plan.h>
#include <remote/desk/jobs/plan/run_mesh.h>

#include <QAbstractTableModel>
#include <optional>

namespace rankscope::gui {

/// rank → node → local rank → device → stage of a pipeline → MASTER_ADDR:PORT.
class PlanModel : public QAbstractTableModel {
    Q_OBJECT

public:
    enum Column { Rank, Node, LocalRank, Device, Place, Master, NUM_COLUMNS };

    explicit PlanModel(QObject* parent = nullptr);

    void set_plan(LaunchPlan plan);
    void clear();
    const LaunchPlan& plan() const { return plan_; }
    const RunMesh& mesh() const { return mesh_; }
    const RankPlan* rank_at(int row) const;
    /// Command and environment of one rank, one per line, as text to read and copy.
    QString rank_text(int row) const;

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role = Qt::DisplayRole) const override;

private:
    QString display(const RankPlan& rank, int column) const;

    LaunchPlan plan_;
    RunMesh mesh_;
};

QString master_text(const LaunchPlan& plan);

}  // namespace rankscope::gui
