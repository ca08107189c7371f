// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <gui/models/examined_ranks_model.h>
#include <gui/plain_text.h>
#include <gui/strings.h>
#include <gui/texts.h>
#include <remote/desk/runs/watch/hang_sentences.h>

namespace rankscope::gui {

void ExaminedRanksModel::set_ranks(const std::map<int, RankSeen>& ranks) {
    beginResetModel();
    rows_.assign(ranks.begin(), ranks.end());
    endResetModel();
}

int ExaminedRanksModel::rowCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : int(rows_.size());
}

int ExaminedRanksModel::columnCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : NUM_COLUMNS;
}

QString ExaminedRanksModel::text(int row, int column) const {
    const auto& [rank, seen] = rows_[std::size_t(row)];
    switch (column) {
        case Rank:
            return QString::number(rank);
        case Node:
            return qs(seen.node);
        case Pid:
            return seen.state.pid != 0 ? QString::number(seen.state.pid) : QString();
        case State:
            return qs(seen.state.state);
        case Cpu:
            return seen.activity.cpu_share >= 0 ? percent_text(seen.activity.cpu_share, 0) : QString();
        case Does:
            return qs(describe_activity(seen));
        case Where:
            return qs(seen.activity.line.empty() ? seen.activity.system_call : seen.activity.line);
        default:
            return {};
    }
}

// The stack of its program, as it was seen.
QString ExaminedRanksModel::stack(int row) const {
    const RankSnapshot& state = rows_[std::size_t(row)].second.state;
    QStringList lines;
    for (const std::string& line : state.python_stack.empty() ? state.native_stack : state.python_stack) {
        lines += qs(line);
    }
    return lines.isEmpty() ? text(row, Where) : lines.join(u'\n');
}

QVariant ExaminedRanksModel::data(const QModelIndex& index, int role) const {
    if (!index.isValid() || index.row() >= int(rows_.size())) {
        return {};
    }
    switch (role) {
        case Qt::DisplayRole:
            return text(index.row(), index.column());
        case Qt::ToolTipRole:
            return index.column() == Where ? plain_text(stack(index.row())) : QVariant();
        case Qt::TextAlignmentRole:
            return index.column() == Rank || index.column() == Pid || index.column() == Cpu
                       ? QVariant(Qt::AlignRight | Qt::AlignVCenter)
                       : QVariant();
        default:
            return {};
    }
}

QVariant ExaminedRanksModel::headerData(int section, Qt::Orientation orientation, int role) const {
    if (orientation != Qt::Horizontal || role != Qt::DisplayRole) {
        return {};
    }
    switch (section) {
        case Rank:
            return tr("Rank");
        case Node:
            return tr("Node");
        case Pid:
            return tr("Process");
        case State:
            return tr("State");
        case Cpu:
            return tr("CPU");
        case Does:
            return tr("Does");
        case Where:
            return tr("Where");
        default:
            return {};
    }
}

}  // namespace rankscope::gui
