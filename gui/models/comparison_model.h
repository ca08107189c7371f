// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <remote/desk/archive/compare/run_columns.h>

#include <QAbstractTableModel>
#include <QStringList>
#include <vector>

namespace rankscope::inline archive {
struct ComparedRun;
struct RunComparison;
}  // namespace rankscope::inline archive

namespace rankscope::gui {

/// A table beside several runs: what a row is about, then a column for each run.
class ComparisonModel : public QAbstractTableModel {
    Q_OBJECT

public:
    enum Column { Section, Key, FIRST_RUN };
    struct Row {
        QString section;
        QString key;
        QStringList values;
        bool differs = false;
    };

    explicit ComparisonModel(QObject* parent = nullptr) : QAbstractTableModel(parent) {}
    void set_rows(const QStringList& titles, std::vector<Row> rows);

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role = Qt::DisplayRole) const override;

private:
    QStringList titles_;
    std::vector<Row> rows_;
};

/// A name for each run that no other has: of runs with one name, with the end of the id.
QStringList run_titles(const std::vector<ComparedRun>& runs);
/// Configuration, environment and versions; `all`: also what is the same.
std::vector<ComparisonModel::Row> value_rows(const RunComparison& comparison, bool all);
/// What each metric comes to, and below it mean ± deviation of each group.
std::vector<ComparisonModel::Row> statistic_rows(const RunComparison& comparison);

}  // namespace rankscope::gui
