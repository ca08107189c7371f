// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <gui/models/run_events_filter.h>
#include <gui/models/run_events_model.h>

namespace rankscope::gui {

void RunEventsFilter::set_kind(int kind) {
    kind_ = kind;
    invalidateFilter();
}

void RunEventsFilter::set_rank(int rank) {
    rank_ = rank;
    invalidateFilter();
}

void RunEventsFilter::set_text(const QString& text) {
    text_ = text.trimmed();
    invalidateFilter();
}

void RunEventsFilter::set_range(const TimeSpan& span) {
    span_ = span;
    invalidateFilter();
}

bool RunEventsFilter::filterAcceptsRow(int row, const QModelIndex& parent) const {
    const QModelIndex first = sourceModel()->index(row, 0, parent);
    if (kind_ >= 0 && first.data(RunEventsModel::KindRole).toInt() != kind_) {
        return false;
    }
    if (rank_ >= 0 && first.data(RunEventsModel::RankRole).toInt() != rank_) {
        return false;
    }
    if (!span_.contains(first.data(RunEventsModel::TimeRole).toLongLong())) {
        return false;
    }
    if (text_.isEmpty()) {
        return true;
    }
    for (const int column : {RunEventsModel::Place, RunEventsModel::Kind, RunEventsModel::Text}) {
        if (first.siblingAtColumn(column).data().toString().contains(text_, Qt::CaseInsensitive)) {
            return true;
        }
    }
    return false;
}

}  // namespace rankscope::gui
