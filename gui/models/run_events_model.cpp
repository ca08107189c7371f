// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <gui/models/run_events_model.h>
#include <gui/strings.h>
#include <gui/texts.h>

#include <QDateTime>
#include <algorithm>

namespace rankscope::gui {

namespace {

QString time_text(std::int64_t t_us, const QString& format) {
    return t_us > 0 ? QDateTime::fromMSecsSinceEpoch(t_us / 1000).toString(format) : QString();
}

}  // namespace

void RunEventsModel::set_events(const RunEvents* events) {
    beginResetModel();
    events_ = events;
    rows_ = events ? events->all() : std::deque<RunEvent>();
    first_ = events ? events->dropped() : 0;
    endResetModel();
}

void RunEventsModel::refresh() {
    if (!events_) {
        return;
    }
    const std::uint64_t known = first_ + rows_.size();
    const std::uint64_t total = events_->dropped() + events_->all().size();
    if (total < known || events_->dropped() < first_) {
        set_events(events_);  // another run in the same place
        return;
    }
    if (const std::uint64_t gone = std::min<std::uint64_t>(events_->dropped() - first_, rows_.size());
        gone > 0) {
        beginRemoveRows({}, 0, int(gone) - 1);
        rows_.erase(rows_.begin(), rows_.begin() + std::ptrdiff_t(gone));
        first_ += gone;
        endRemoveRows();
    }
    // More than are kept may have come since the last time.
    first_ = rows_.empty() ? events_->dropped() : first_;
    if (const auto have = std::ptrdiff_t(rows_.size()); std::size_t(have) < events_->all().size()) {
        beginInsertRows({}, int(have), int(events_->all().size()) - 1);
        rows_.insert(rows_.end(), events_->all().begin() + have, events_->all().end());
        endInsertRows();
    }
}

int RunEventsModel::rowCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : int(rows_.size());
}

int RunEventsModel::columnCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : int(NUM_COLUMNS);
}

QVariant RunEventsModel::data(const QModelIndex& index, int role) const {
    if (!index.isValid() || index.row() >= int(rows_.size())) {
        return {};
    }
    const RunEvent& event = rows_[std::size_t(index.row())];
    switch (role) {
        case Qt::DisplayRole:
            switch (index.column()) {
                case Time:
                    return time_text(event.t_us, u"HH:mm:ss"_s);
                case Place:
                    return run_event_place_text(event);
                case Kind:
                    return run_event_kind_text(event.kind);
                default:
                    return event.text;
            }
        case Qt::ToolTipRole:
            return index.column() == Time   ? time_text(event.t_us, u"yyyy-MM-dd HH:mm:ss.zzz"_s)
                   : index.column() == Text ? wrapped_tip(event.text)
                                            : QVariant();
        case KindRole:
            return int(event.kind);
        case RankRole:
            return event.rank;
        case TimeRole:
            return qlonglong(event.t_us);
        case LineRole:
            return qulonglong(event.line);
        case FaultRole:
            return event.is_fault;
        default:
            return {};
    }
}

QVariant RunEventsModel::headerData(int section, Qt::Orientation orientation, int role) const {
    if (orientation != Qt::Horizontal) {
        return {};
    }
    if (role == Qt::TextAlignmentRole) {
        return int(Qt::AlignLeft | Qt::AlignVCenter);
    }
    if (role != Qt::DisplayRole) {
        return {};
    }
    switch (section) {
        case Time:
            return tr("Time");
        case Place:
            return tr("Where");
        case Kind:
            return tr("Kind");
        default:
            return tr("What");
    }
}

}  // namespace rankscope::gui
