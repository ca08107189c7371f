// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <remote/desk/archive/compare/run_columns.h>
#include <remote/desk/runs/store/run_labels.h>
#include <remote/desk/runs/store/run_store.h>

#include <QAbstractTableModel>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

namespace rankscope::gui {

using RunSummaries = std::unordered_map<std::string, std::shared_ptr<const RunSummary>>;

/// The runs of the store, newest first. Behind the columns that every run has stand those that the user has chosen.
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
    /// More summaries, by run; those that were there are replaced.
    void add_summaries(const RunSummaries& summaries);
    /// Null: not computed yet.
    const RunSummary* summary(const RunRecord& run) const;
    const RunSummaries& summaries() const { return summaries_; }
    /// Those that stay keep their place; new ones are added behind.
    void set_chosen(const std::vector<RunColumn>& columns);
    const std::vector<RunColumn>& chosen() const { return chosen_; }
    /// A cell of a chosen column (`column` >= NUM_COLUMNS).
    const ColumnValue& value(int row, int column) const;
    /// Numbers, times and counts stand on the right.
    bool is_number(int column) const;
    /// For the duration of running runs.
    void set_now(std::int64_t now_us);
    /// When the store last heard of runs without an end, and those that this window watches: the others last as long as
    /// is known.
    void set_heard(std::map<std::string, std::int64_t> heard_us, std::set<std::string> watched);
    const RunRecord* at(int row) const;
    int row_of(const std::string& run_id) const;

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role = Qt::DisplayRole) const override;

private:
    QString display(int row, int column) const;
    QString tip(int row, int column) const;
    void compute_values(std::size_t row);
    void compute_all_values();
    void emit_changed(int first_row, int last_row, int first_column);
    /// 0: it goes on. Else when the last thing is known of a run without an end.
    std::int64_t known_until(const RunRecord& run) const;
    double duration_s(const RunRecord& run) const;

    std::vector<RunRecord> runs_;
    std::map<std::string, RunLabels> labels_;  ///< by run
    RunSummaries summaries_;
    std::vector<RunColumn> chosen_;
    std::vector<std::vector<ColumnValue>> values_;  ///< by row, then by chosen column
    std::int64_t now_us_ = 0;
    std::map<std::string, std::int64_t> heard_us_;  ///< by run without an end
    std::set<std::string> watched_;
};

}  // namespace rankscope::gui
