// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <gui/nccl/collective_format.h>
#include <gui/nccl/collective_table_model.h>
#include <gui/plain_text.h>
#include <gui/strings.h>
#include <gui/texts.h>

#include <utility>

namespace rankscope::gui {

namespace {

QString rank_text(int rank) {
    return rank < 0 ? u"–"_s : QString::number(rank);
}

QString group_text(const CollectiveRow& row) {
    const QString ranks = row.ranks > 0 ? QString::number(row.ranks) : u"?"_s;
    return row.communicators > 1 ? QString(QString::number(row.communicators) % u" × "_s % ranks) : ranks;
}

}  // namespace

void CollectiveTableModel::set_report(const std::shared_ptr<const CollectiveReport>& report,
                                      int communicator) {
    std::vector<CollectiveRow> rows;
    if (report && communicator < 0) {
        rows = merge_alike(*report);
    } else if (report) {
        for (const CollectiveRow& row : report->rows) {
            if (row.communicator == std::size_t(communicator)) {
                rows.push_back(row);
            }
        }
    }
    report_ = report;
    if (rows.size() == rows_.size()) {  // keeps selection and scroll bar
        rows_ = std::move(rows);
        if (!rows_.empty()) {
            emit dataChanged(index(0, 0), index(int(rows_.size()) - 1, NUM_COLUMNS - 1));
        }
        return;
    }
    beginResetModel();
    rows_ = std::move(rows);
    endResetModel();
}

int CollectiveTableModel::rowCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : int(rows_.size());
}

int CollectiveTableModel::columnCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : NUM_COLUMNS;
}

QString CollectiveTableModel::text(const CollectiveRow& row, int column) const {
    switch (column) {
        case Function:
            return qs(report_->functions[row.function]);
        case Ranks:
            return group_text(row);
        case Size:
            return size_text(row.bytes);
        case Count:
            return count_text(qint64(row.operations));
        case Latency:
            return latency_text(row.mean_s);
        case Shortest:
            return latency_text(row.shortest_s);
        case Longest:
            return latency_text(row.longest_s);
        case AlgorithmBandwidth:
            return bandwidth_text(row.algorithm_bandwidth);
        case BusBandwidth:
            return bandwidth_text(row.bus_bandwidth);
        case LinkShare:
            return report_->link.bytes_per_s > 0 ? share_text(report_->link_share(row)) : tr("unknown");
        case Slowest:
            return rank_text(row.slowest_rank);
        case Last:
            return rank_text(row.last_rank);
        case Waits:
            return share_text(row.wait_share);
        case Network:
            return row.network_share > 0 ? share_text(row.network_share) : u"–"_s;
        case Algorithm:
            return qs(row.algorithm + (row.algorithm.empty() || row.protocol.empty() ? "" : " ") +
                      row.protocol);
        default:
            return {};
    }
}

QVariant CollectiveTableModel::sort_key(const CollectiveRow& row, int column) const {
    switch (column) {
        case Ranks:
            return row.ranks;
        case Size:
            return row.bytes;
        case Count:
            return qulonglong(row.operations);
        case Latency:
            return row.mean_s;
        case Shortest:
            return row.shortest_s;
        case Longest:
            return row.longest_s;
        case AlgorithmBandwidth:
            return row.algorithm_bandwidth;
        case BusBandwidth:
        case LinkShare:
            return row.bus_bandwidth;
        case Slowest:
            return row.slowest_rank;
        case Last:
            return row.last_rank;
        case Waits:
            return row.wait_share;
        case Network:
            return row.network_share;
        default:
            return text(row, column);
    }
}

QString CollectiveTableModel::tool_tip(const CollectiveRow& row) const {
    QStringList lines{
        tr("%1 of %2, %3 times").arg(text(row, Function), text(row, Size), text(row, Count)),
        tr("Latency %1 (%2 to %3), of the ranks' means %4 apart")
            .arg(text(row, Latency), text(row, Shortest), text(row, Longest), latency_text(row.spread_s)),
        tr("Bandwidth from %1: without waiting for the last rank").arg(latency_text(row.transfer_s))};
    if (row.matched > 0 && row.last_rank >= 0) {
        lines += tr("Rank %1 entered last in %2 of %3 compared operations")
                     .arg(row.last_rank)
                     .arg(share_text(row.last_share), count_text(qint64(row.matched)));
    }
    if (row.peer_wait_share > 0) {
        lines += tr("The network waited for a peer in %1 of the time").arg(share_text(row.peer_wait_share));
    }
    if (report_->link.bytes_per_s > 0) {
        lines += tr("Link: %1 (%2)").arg(bandwidth_text(report_->link.bytes_per_s), qs(report_->link.source));
    }
    if (!row.algorithm.empty()) {
        lines += text(row, Algorithm);
    }
    if (!row.gpu_times) {
        lines += tr("Times of the host: this NCCL gives no times of the GPU");
    }
    if (row.ranks > 0 && row.ranks_seen < std::size_t(row.ranks) && row.communicators == 1) {
        lines += tr("%1 of %2 ranks were seen").arg(row.ranks_seen).arg(row.ranks);
    }
    return lines.join(u'\n');
}

QVariant CollectiveTableModel::data(const QModelIndex& index, int role) const {
    if (!report_ || !index.isValid() || index.row() >= int(rows_.size())) {
        return {};
    }
    const CollectiveRow& row = rows_[std::size_t(index.row())];
    switch (role) {
        case Qt::DisplayRole:
            return text(row, index.column());
        case SortRole:
            return sort_key(row, index.column());
        case Qt::ToolTipRole:
            return plain_text(tool_tip(row));
        case Qt::TextAlignmentRole:
            return int(
                (index.column() == Function || index.column() == Algorithm ? Qt::AlignLeft : Qt::AlignRight) |
                Qt::AlignVCenter);
        default:
            return {};
    }
}

QVariant CollectiveTableModel::headerData(int section, Qt::Orientation orientation, int role) const {
    if (orientation != Qt::Horizontal || section >= NUM_COLUMNS) {
        return {};
    }
    const std::pair<QString, QString> titles[NUM_COLUMNS] = {
        {tr("Function"), {}},
        {tr("Ranks"), tr("Ranks of the communicator; 16 × 8: 16 communicators of 8 ranks")},
        {tr("Size"), tr("Mean bytes of a call: elements × size")},
        {tr("Count"), {}},
        {tr("Latency"), tr("From the launch to the end, mean of all ranks, with the waiting for others")},
        {tr("Min"), tr("Shortest latency of a rank")},
        {tr("Max"), tr("Longest latency of a rank")},
        {tr("Algbw"), tr("Algorithm bandwidth: bytes / time, without waiting for the last rank")},
        {tr("Busbw"), tr("Bus bandwidth: algorithm bandwidth × the factor of nccl-tests")},
        {tr("Of link"), tr("Bus bandwidth as a share of the link's rate")},
        {tr("Slowest"), tr("The rank with the longest mean latency: it waits for the others")},
        {tr("Last"), tr("The rank that most often enters last: the others wait for it")},
        {tr("Waits"), tr("Share of the time inside in which others had not entered")},
        {tr("Network"), tr("Share of the time inside with a network transfer")},
        {tr("Algorithm"), {}}};
    if (role == Qt::DisplayRole) {
        return titles[section].first;
    }
    if (role == Qt::ToolTipRole && !titles[section].second.isEmpty()) {
        return titles[section].second;
    }
    if (role == Qt::TextAlignmentRole) {
        return int((section == Function || section == Algorithm ? Qt::AlignLeft : Qt::AlignRight) |
                   Qt::AlignVCenter);
    }
    return {};
}

}  // namespace rankscope::gui
