// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <gui/models/runs_model.h>
#include <gui/runs/runs_filter.h>
#include <gui/strings.h>

namespace rankscope::gui {

RunsFilter::RunsFilter(QObject* parent) : QSortFilterProxyModel(parent) {
    setSortRole(RunsModel::SortRole);
}

void RunsFilter::set_line(const QString& line) {
    filter_ = run_filter_of(ss(line));
    invalidateFilter();
}

bool RunsFilter::filterAcceptsRow(int row, const QModelIndex& /*parent*/) const {
    const auto* model = static_cast<const RunsModel*>(sourceModel());
    const RunRecord* run = model->at(row);
    return run != nullptr && filter_.fits(*run, model->labels(*run));
}

bool RunsFilter::lessThan(const QModelIndex& left, const QModelIndex& right) const {
    if (left.column() < RunsModel::NUM_COLUMNS) {
        return QSortFilterProxyModel::lessThan(left, right);
    }
    const auto* model = static_cast<const RunsModel*>(sourceModel());
    const ColumnValue& a = model->value(left.row(), left.column());
    const ColumnValue& b = model->value(right.row(), right.column());
    if (a.text.empty() != b.text.empty() && sortOrder() == Qt::DescendingOrder) {
        return a.text.empty();
    }
    return column_less(a, b);
}

}  // namespace rankscope::gui
