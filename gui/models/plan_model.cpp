// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <gui/models/plan_model.h>
#include <gui/plain_text.h>
#include <gui/strings.h>

#include <utility>

namespace rankscope::gui {

namespace {

bool is_number_of_plan(int column) {
    return column == PlanModel::Rank || column == PlanModel::LocalRank;
}

}  // namespace

QString master_text(const LaunchPlan& plan) {
    const QString address =
        plan.master_addr.empty() ? PlanModel::tr("(found on start)") : qs(plan.master_addr);
    return plan.master_port == 0 ? PlanModel::tr("%1, a free port").arg(address)
                                 : QString(address % u':' % QString::number(plan.master_port));
}

PlanModel::PlanModel(QObject* parent) : QAbstractTableModel(parent) {}

void PlanModel::set_plan(LaunchPlan plan) {
    beginResetModel();
    plan_ = std::move(plan);
    mesh_ = mesh_of(plan_);
    endResetModel();
}

void PlanModel::clear() {
    set_plan({});
}

const RankPlan* PlanModel::rank_at(int row) const {
    return row < 0 || row >= int(plan_.ranks.size()) ? nullptr : &plan_.ranks[std::size_t(row)];
}

QString PlanModel::rank_text(int row) const {
    const RankPlan* rank = rank_at(row);
    if (!rank) {
        return {};
    }
    QString command;
    for (const std::string& word : rank->command) {
        const QString text = qs(word);
        const bool quote = text.isEmpty() || text.contains(u' ');
        command += (command.isEmpty() ? QString() : u" "_s) + (quote ? QString(u'\'' % text % u'\'') : text);
    }
    QStringList lines{command, QString()};
    for (const auto& [name, value] : rank->env) {
        lines += QString(qs(name) % u'=' % qs(value));
    }
    return lines.join(u'\n');
}

int PlanModel::rowCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : int(plan_.ranks.size());
}

int PlanModel::columnCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : NUM_COLUMNS;
}

QString PlanModel::display(const RankPlan& rank, int column) const {
    switch (column) {
        case Rank:
            return QString::number(rank.rank);
        case Node:
            return qs(rank.node);
        case LocalRank:
            return QString::number(rank.local_rank);
        case Device:
            return qs(rank.device);
        case Place:
            return qs(place_text(mesh_, rank.rank));
        case Master:
            return master_text(plan_);
        default:
            return {};
    }
}

QVariant PlanModel::data(const QModelIndex& index, int role) const {
    const RankPlan* rank = index.isValid() ? rank_at(index.row()) : nullptr;
    if (!rank) {
        return {};
    }
    if (role == Qt::DisplayRole || role == Qt::ToolTipRole) {
        const QString text = display(*rank, index.column());
        return role == Qt::ToolTipRole ? plain_text(text) : text;
    }
    if (role == Qt::TextAlignmentRole) {
        const bool right = is_number_of_plan(index.column());
        return int((right ? Qt::AlignRight : Qt::AlignLeft) | Qt::AlignVCenter);
    }
    return {};
}

QVariant PlanModel::headerData(int section, Qt::Orientation orientation, int role) const {
    if (orientation != Qt::Horizontal) {
        return {};
    }
    if (role == Qt::TextAlignmentRole) {
        const bool right = is_number_of_plan(section);
        return int((right ? Qt::AlignRight : Qt::AlignLeft) | Qt::AlignVCenter);
    }
    if (role != Qt::DisplayRole) {
        return {};
    }
    switch (section) {
        case Rank:
            return tr("Rank");
        case Node:
            return tr("Node");
        case LocalRank:
            return tr("Local rank");
        case Device:
            return tr("Device");
        case Place:
            return tr("Place");
        case Master:
            return tr("MASTER_ADDR:PORT");
        default:
            return {};
    }
}

}  // namespace rankscope::gui
