// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <gui/data/node_labels.h>
#include <gui/models/checked_nodes_model.h>
#include <gui/models/column_titles.h>
#include <gui/plain_text.h>
#include <gui/strings.h>
#include <gui/texts.h>

#include <algorithm>
#include <set>

namespace rankscope::gui {

namespace {

constexpr int kNodeLetters = 20;

std::vector<std::string> nodes_of(const PreflightReport& report) {
    std::vector<std::string> nodes = report.nodes;
    for (const Check& check : report.checks) {
        for (const std::string& node : check.nodes) {
            if (std::find(nodes.begin(), nodes.end(), node) == nodes.end()) {
                nodes.push_back(node);
            }
        }
    }
    return nodes;
}

/// Ids of the checks without a pass that name this node and not every one.
QString difference(const PreflightReport& report, const std::string& node, std::size_t nodes) {
    QStringList ids;
    for (const Check& check : report.checks) {
        const std::set<std::string> named(check.nodes.begin(), check.nodes.end());
        if (check.status != CheckStatus::Pass && named.contains(node) && named.size() < nodes) {
            ids += check.id.empty() ? check_status_text(check.status) : qs(check.id.str());
        }
    }
    ids.removeDuplicates();
    return ids.join(u", "_s);
}

CheckStatus worst(const CheckCounts& counts) {
    return counts.failed > 0    ? CheckStatus::Fail
           : counts.warned > 0  ? CheckStatus::Warn
           : counts.skipped > 0 ? CheckStatus::Skip
                                : CheckStatus::Pass;
}

}  // namespace

void CheckedNodesModel::set_report(std::shared_ptr<const PreflightReport> report) {
    beginResetModel();
    rows_.clear();
    if (report) {
        const std::vector<std::string> nodes = nodes_of(*report);
        const auto labels = node_labels(nodes, kNodeLetters);
        for (const std::string& node : nodes) {
            Row row;
            row.node = node;
            row.label = labels.at(node);
            row.counts = count_checks(report->checks, node);
            for (const InterfaceChoice& choice : report->choices) {
                if (choice.node == node) {
                    row.choice = choice;
                }
            }
            row.differs = difference(*report, node, nodes.size());
            rows_.push_back(std::move(row));
        }
    }
    endResetModel();
}

std::string CheckedNodesModel::node_at(int row) const {
    return row < 0 || row >= int(rows_.size()) ? std::string() : rows_[std::size_t(row)].node;
}

int CheckedNodesModel::rowCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : int(rows_.size());
}

int CheckedNodesModel::columnCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : NUM_COLUMNS;
}

QString CheckedNodesModel::text(const Row& row, int column) const {
    switch (column) {
        case Node:
            return qs(row.node);
        case Result: {
            CheckCounts counts = row.counts;
            if (counts.failed + counts.warned + counts.skipped > 0) {
                counts.passed = 0;
                return counts_text(counts);
            }
            return tr("no fault");
        }
        case Interface:
            return qs(row.choice.interface_name);
        case Address:
            return qs(row.choice.address);
        case Differs:
            return row.differs;
        case Why:
            return qs(row.choice.why);
        default:
            return {};
    }
}

QVariant CheckedNodesModel::data(const QModelIndex& index, int role) const {
    if (!index.isValid() || index.row() >= int(rows_.size())) {
        return {};
    }
    const Row& row = rows_[std::size_t(index.row())];
    if (role == Qt::DisplayRole && index.column() == Node) {
        return row.label;
    }
    // With what the columns say that a narrow table hides.
    if (role == Qt::ToolTipRole && index.column() == Interface) {
        return plain_text(
            QStringList{text(row, Interface), text(row, Address), text(row, Why)}.join(u'\n').trimmed());
    }
    if (role == Qt::DisplayRole || role == Qt::ToolTipRole) {
        const QString shown = text(row, index.column());
        return role == Qt::ToolTipRole ? plain_text(shown) : shown;
    }
    return role == StatusRole ? QVariant(int(worst(row.counts))) : QVariant();
}

QVariant CheckedNodesModel::headerData(int section, Qt::Orientation orientation, int role) const {
    return column_title({tr("Node"), tr("Result"), tr("What differs"), tr("Interface"), tr("Address"),
                         tr("Why this interface")},
                        section, orientation, role);
}

}  // namespace rankscope::gui
