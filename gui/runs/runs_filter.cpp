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

}  // namespace rankscope::gui
