// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <gui/models/checks_model.h>
#include <gui/models/column_titles.h>
#include <gui/plain_text.h>
#include <gui/strings.h>
#include <gui/texts.h>

#include <QCoreApplication>
#include <algorithm>

namespace rankscope::gui {

namespace {

constexpr std::size_t kNamedNodes = 4;
constexpr std::size_t kNodesOfTip = 20;

struct Words {
    Q_DECLARE_TR_FUNCTIONS(Doctor)
};

/// A node a line, whole.
QString nodes_tip(const std::vector<std::string>& nodes) {
    QStringList lines;
    for (std::size_t i = 0; i < std::min(nodes.size(), kNodesOfTip); ++i) {
        lines += qs(nodes[i]);
    }
    if (nodes.size() > kNodesOfTip) {
        lines += Words::tr("and %1 more").arg(nodes.size() - kNodesOfTip);
    }
    return lines.join(u'\n');
}

bool concerns(const Check& check, const std::string& node) {
    const bool named = std::find(check.nodes.begin(), check.nodes.end(), node) != check.nodes.end();
    return named || std::any_of(check.pairs.begin(), check.pairs.end(),
                                [&](const NodePair& pair) { return pair.from == node || pair.to == node; });
}

}  // namespace

QString check_status_text(CheckStatus status) {
    switch (status) {
        case CheckStatus::Pass:
            return Words::tr("passed");
        case CheckStatus::Warn:
            return Words::tr("warning");
        case CheckStatus::Fail:
            return Words::tr("failed");
        case CheckStatus::Skip:
            return Words::tr("not checked");
    }
    return {};
}

QString names_text(const std::vector<std::string>& names, std::size_t most) {
    QStringList shown;
    for (const std::string& name : names) {
        if (std::size_t(shown.size()) < most) {
            shown += short_name(name);
        }
    }
    const QString list = shown.join(u", "_s);
    const auto more = int(names.size()) - int(shown.size());
    return more > 0 ? Words::tr("%1 and %2 more").arg(list).arg(more) : list;
}

CheckCounts count_checks(const std::vector<Check>& checks, const std::string& node) {
    CheckCounts counts;
    for (const Check& check : checks) {
        if (!node.empty() && std::find(check.nodes.begin(), check.nodes.end(), node) == check.nodes.end()) {
            continue;
        }
        switch (check.status) {
            case CheckStatus::Pass:
                ++counts.passed;
                break;
            case CheckStatus::Warn:
                ++counts.warned;
                break;
            case CheckStatus::Fail:
                ++counts.failed;
                break;
            case CheckStatus::Skip:
                ++counts.skipped;
                break;
        }
    }
    return counts;
}

QString counts_text(const CheckCounts& counts) {
    QStringList parts;
    if (counts.failed > 0) {
        parts += Words::tr("%1 failed").arg(counts.failed);
    }
    if (counts.warned > 0) {
        parts += counts.warned == 1 ? Words::tr("1 warning") : Words::tr("%1 warnings").arg(counts.warned);
    }
    if (counts.passed > 0 || parts.isEmpty()) {
        parts += Words::tr("%1 passed").arg(counts.passed);
    }
    if (counts.skipped > 0) {
        parts += Words::tr("%1 not checked").arg(counts.skipped);
    }
    return parts.join(u", "_s);
}

void ChecksModel::set_report(std::shared_ptr<const PreflightReport> report) {
    beginResetModel();
    report_ = std::move(report);
    refill();
    endResetModel();
}

void ChecksModel::show_all() {
    beginResetModel();
    node_.clear();
    pair_.reset();
    refill();
    endResetModel();
}

void ChecksModel::show_node(const std::string& node) {
    beginResetModel();
    node_ = node;
    pair_.reset();
    refill();
    endResetModel();
}

void ChecksModel::show_pair(const NodePair& pair) {
    beginResetModel();
    node_.clear();
    pair_ = pair;
    refill();
    endResetModel();
}

void ChecksModel::refill() {
    shown_.clear();
    if (!report_) {
        return;
    }
    for (const Check& check : report_->checks) {
        const bool of_pair =
            !pair_ || std::find(check.pairs.begin(), check.pairs.end(), *pair_) != check.pairs.end();
        if (of_pair && (node_.empty() || concerns(check, node_))) {
            shown_.push_back(&check);
        }
    }
}

const Check* ChecksModel::check_at(int row) const {
    return row < 0 || row >= int(shown_.size()) ? nullptr : shown_[std::size_t(row)];
}

int ChecksModel::rowCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : int(shown_.size());
}

int ChecksModel::columnCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : NUM_COLUMNS;
}

QVariant ChecksModel::data(const QModelIndex& index, int role) const {
    const Check* check = index.isValid() ? check_at(index.row()) : nullptr;
    if (check == nullptr) {
        return {};
    }
    if (role == StatusRole) {
        return int(check->status);
    }
    const bool display = role == Qt::DisplayRole;
    if (!display && role != Qt::ToolTipRole) {
        return {};
    }
    switch (index.column()) {
        case Status:
            return check_status_text(check->status);
        case Text:
            return display ? qs(check->detail).simplified() : wrapped_tip(qs(check->detail));
        case Nodes:
            return display ? names_text(check->nodes, kNamedNodes) : plain_text(nodes_tip(check->nodes));
        default:
            return {};
    }
}

QVariant ChecksModel::headerData(int section, Qt::Orientation orientation, int role) const {
    return column_title({tr("Result"), tr("Check"), tr("Nodes")}, section, orientation, role);
}

}  // namespace rankscope::gui
