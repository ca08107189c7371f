// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <gui/models/rank_table_model.h>
#include <gui/strings.h>
#include <gui/texts.h>

#include <QCoreApplication>
#include <cmath>

namespace rankscope::gui {

namespace {

/// Empty instead of "NaN" before the first value.
QString value_text(double value, int decimals, std::int64_t step) {
    if (!std::isfinite(value)) {
        return step > 0 ? QStringLiteral("NaN") : QString();
    }
    return QString::number(value, 'f', decimals);
}

}  // namespace

QString short_exit_text(const RankState& rank) {
    if (!rank.exit) {
        return {};
    }
    if (rank.exit->signal > 0) {
        return signal_name(rank.exit->signal);
    }
    return rank.exit->code == 0
               ? QCoreApplication::translate("RankTableModel", "ok")
               : QCoreApplication::translate("RankTableModel", "code %1").arg(rank.exit->code);
}

RankTableModel::RankTableModel(QObject* parent) : QAbstractTableModel(parent) {}

void RankTableModel::set_live(LiveModel* live) {
    beginResetModel();
    live_ = live;
    rows_ = live_ ? int(live_->state().ranks.size()) : 0;
    endResetModel();
}

void RankTableModel::refresh() {
    const int rows = live_ ? int(live_->state().ranks.size()) : 0;
    if (rows != rows_) {
        beginResetModel();
        rows_ = rows;
        endResetModel();
    } else if (rows_ > 0) {
        emit dataChanged(index(0, 0), index(rows_ - 1, NUM_COLUMNS - 1));
    }
}

int RankTableModel::rowCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : rows_;
}

int RankTableModel::columnCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : NUM_COLUMNS;
}

QVariant RankTableModel::data(const QModelIndex& index, int role) const {
    if (!live_ || !index.isValid() || index.row() >= int(live_->state().ranks.size())) {
        return {};
    }
    const RankState& rank = live_->state().ranks[std::size_t(index.row())];
    switch (role) {
        case Qt::DisplayRole:
            return display(rank, index.column());
        case SortRole:
            return sort_key(rank, index.column());
        case PhaseRole:
            return int(rank.phase);
        case RankRole:
            return rank.rank;
        case Qt::ToolTipRole:
            return tool_tip(rank);
        case Qt::TextAlignmentRole:
            return index.column() == Node || index.column() == Device || index.column() == Phase ||
                           index.column() == Exit
                       ? int(Qt::AlignLeft | Qt::AlignVCenter)
                       : int(Qt::AlignRight | Qt::AlignVCenter);
        default:
            return {};
    }
}

QVariant RankTableModel::display(const RankState& rank, int column) const {
    switch (column) {
        case Rank:
            return QString::number(rank.rank);
        case Node:
            return qs(rank.node);
        case Device:
            return qs(rank.device);
        case Phase:
            return phase_text(rank.phase);
        case Step:
            return rank.step < 0 ? QString() : count_text(rank.step);
        case Epoch:
            return rank.epoch < 0 ? QString() : QString::number(rank.epoch, 'f', 0);
        case Loss:
            return value_text(rank.loss, 4, rank.step);
        case Accuracy:
            return std::isfinite(rank.acc1) ? percent_text(rank.acc1) : QString();
        case Throughput:
            return std::isfinite(rank.images_per_s) ? count_text(std::llround(rank.images_per_s)) : QString();
        case Exit:
            return short_exit_text(rank);
        default:
            return {};
    }
}

QVariant RankTableModel::sort_key(const RankState& rank, int column) const {
    switch (column) {
        case Rank:
            return rank.rank;
        case Phase:
            return int(rank.phase);
        case Step:
            return qlonglong(rank.step);
        case Epoch:
            return rank.epoch;
        case Loss:
            return rank.loss;
        case Accuracy:
            return rank.acc1;
        case Throughput:
            return rank.images_per_s;
        default:
            return display(rank, column);
    }
}

QString RankTableModel::tool_tip(const RankState& rank) const {
    QStringList lines{tr("Rank %1 (local rank %2) on %3, %4")
                          .arg(rank.rank)
                          .arg(rank.local_rank)
                          .arg(qs(rank.node), qs(rank.device)),
                      phase_text(rank.phase)};
    if (rank.exit) {
        lines += tr("ended with %1").arg(exit_text(rank.exit->code, rank.exit->signal));
        if (!rank.exit->reason.empty()) {
            lines += qs(rank.exit->reason);
        }
    }
    if (!rank.params.empty()) {
        lines += tr("parameters %1").arg(qs(rank.params));
    }
    return lines.join(u'\n');
}

QVariant RankTableModel::headerData(int section, Qt::Orientation orientation, int role) const {
    if (orientation != Qt::Horizontal) {
        return {};
    }
    if (role == Qt::TextAlignmentRole) {
        const bool left = section == Node || section == Device || section == Phase || section == Exit;
        return int((left ? Qt::AlignLeft : Qt::AlignRight) | Qt::AlignVCenter);
    }
    if (role != Qt::DisplayRole) {
        return {};
    }
    switch (section) {
        case Rank:
            return tr("Rank");
        case Node:
            return tr("Node");
        case Device:
            return tr("Device");
        case Phase:
            return tr("State");
        case Step:
            return tr("Step");
        case Epoch:
            return tr("Epoch");
        case Loss:
            return tr("Loss");
        case Accuracy:
            return tr("Acc.");
        case Throughput:
            return tr("Images/s");
        case Exit:
            return tr("Exit");
        default:
            return {};
    }
}

}  // namespace rankscope::gui
