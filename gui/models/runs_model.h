// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <remote/desk/store/run_labels.h>
#include <remote/desk/store/run_store.h>

#include <QAbstractTableModel>
#include <map>
#include <string>
#include <vector>

namespace rankscope::gui {

/// The runs of the store, newest first.
class RunsModel : public QAbstractTableModel {
    Q_OBJECT

public:
    enum Column { Name, Started, Duration, Nodes, Ranks, State, Labels, Summary, Star, NUM_COLUMNS };
    enum Role { SortRole = Qt::UserRole, OutcomeRole, RunIdRole };

    explicit RunsModel(QObject* parent = nullptr);

    /// Keeps the rows where nothing but values has changed, so that a refresh does not disturb a selection.
    void set_runs(std::vector<RunRecord> runs);
    void set_labels(std::map<std::string, RunLabels> labels);
    /// Of a run that has none: none are set.
    const RunLabels& labels(const RunRecord& run) const;
    /// For the duration of running runs.
    void set_now(std::int64_t now_us);
    const RunRecord* at(int row) const;
    int row_of(const std::string& run_id) const;

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role = Qt::DisplayRole) const override;

private:
    QString display(const RunRecord& run, int column) const;
    double duration_s(const RunRecord& run) const;

    std::vector<RunRecord> runs_;
    std::map<std::string, RunLabels> labels_;  ///< by run
    std::int64_t now_us_ = 0;
};

}  // namespace rankscope::gui
