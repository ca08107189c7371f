// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <gui/models/column_titles.h>
#include <gui/nccl/settings_model.h>
#include <gui/strings.h>
#include <gui/style/glyphs.h>
#include <gui/texts.h>
#include <remote/desk/jobs/plan/variable_notes.h>

#include <algorithm>

namespace rankscope::gui {

namespace {

constexpr quintptr kTop = 0;  ///< internal id of a variable; below variable n it is n + 1

}  // namespace

bool origin_is_open(const logs::SettingUse& use, const std::string& name) {
    // The variable that names the file cannot come from the file.
    return use.origin == logs::SettingOrigin::Log && name != "NCCL_CONF_FILE";
}

QString origin_text(const logs::SettingUse& use, const std::string& name) {
    switch (use.origin) {
        case logs::SettingOrigin::Job:
            return SettingsModel::tr("job (%1)").arg(qs(use.where));
        case logs::SettingOrigin::Rankscope:
            return SettingsModel::tr("Rankscope");
        case logs::SettingOrigin::Log:
            return origin_is_open(use, name) ? SettingsModel::tr("environment or nccl.conf")
                                             : SettingsModel::tr("environment");
        case logs::SettingOrigin::Program:
            return SettingsModel::tr("the program");
        case logs::SettingOrigin::Node:
            return use.where == kEnvironmentSource ? SettingsModel::tr("environment of the node")
                                                   : qs(use.where);
    }
    return {};
}

void SettingsModel::set_rows(std::vector<logs::SettingRow> rows) {
    beginResetModel();
    rows_ = std::move(rows);
    endResetModel();
}

void SettingsModel::set_colors(const ThemeColors& colors) {
    colors_ = colors;
}

const logs::SettingRow* SettingsModel::row_of(const QModelIndex& index) const {
    const auto at =
        index.internalId() == kTop ? std::size_t(index.row()) : std::size_t(index.internalId() - 1);
    return index.isValid() && at < rows_.size() ? &rows_[at] : nullptr;
}

const logs::SettingUse* SettingsModel::use_of(const QModelIndex& index) const {
    const logs::SettingRow* row = row_of(index);
    if (!row || row->uses.empty()) {
        return nullptr;
    }
    if (index.internalId() == kTop) {
        return row->uses.size() == 1 ? &row->uses.front() : nullptr;
    }
    return std::size_t(index.row()) < row->uses.size() ? &row->uses[std::size_t(index.row())] : nullptr;
}

QModelIndex SettingsModel::index(int row, int column, const QModelIndex& parent) const {
    if (row < 0 || column < 0 || column >= ColumnCount || row >= rowCount(parent)) {
        return {};
    }
    return createIndex(row, column, parent.isValid() ? quintptr(parent.row()) + 1 : kTop);
}

QModelIndex SettingsModel::parent(const QModelIndex& index) const {
    return index.isValid() && index.internalId() != kTop ? createIndex(int(index.internalId() - 1), 0, kTop)
                                                         : QModelIndex();
}

int SettingsModel::rowCount(const QModelIndex& parent) const {
    if (!parent.isValid()) {
        return int(rows_.size());
    }
    const bool top = parent.internalId() == kTop && parent.column() == 0;
    const logs::SettingRow* row = top ? row_of(parent) : nullptr;
    return row && row->uses.size() > 1 ? int(row->uses.size()) : 0;
}

int SettingsModel::columnCount(const QModelIndex&) const {
    return ColumnCount;
}

QVariant SettingsModel::text(const logs::SettingRow& row, const logs::SettingUse* use, int column) const {
    switch (column) {
        case Value:
            return use ? qs(use->value) : tr("%1 values").arg(row.uses.size());
        case Ranks: {
            logs::RankSet ranks;
            for (const logs::SettingUse& one : row.uses) {
                for (const int rank : !use || use == &one ? one.ranks.ranks() : std::vector<int>()) {
                    ranks.insert(rank);
                }
            }
            return ranks_text(ranks.ranks());
        }
        case From:
            return use ? origin_text(*use, row.name) : QString();
        case Meaning:
            return !row.problems.empty()
                       ? qs(variable_problem_text(row.name,
                                                  row.uses.empty() ? std::string() : row.uses.front().value,
                                                  row.problems.front()))
                   : row.info ? variable_text(row.info->meaning)
                              : QString();
        default:
            return {};
    }
}

QVariant SettingsModel::data(const QModelIndex& index, int role) const {
    const logs::SettingRow* row = row_of(index);
    if (!row) {
        return {};
    }
    const bool below = index.internalId() != kTop;
    if (role == Qt::DecorationRole && index.column() == Name && !below) {
        const bool wrong = std::any_of(row->problems.begin(), row->problems.end(), [](const auto& problem) {
            return problem.kind != logs::VariableProblemKind::Unknown;
        });
        return check_icon(wrong || row->differs ? CheckStatus::Warn : CheckStatus::Pass, colors_);
    }
    if (role == Qt::ToolTipRole) {
        const QString value = text(*row, use_of(index), Value).toString();
        const QString first = qs(row->name) + u'=' + value;
        return wrapped_tip(row->info ? first + u"\n\n"_s + variable_text(row->info->meaning) : first);
    }
    if (role == Qt::ForegroundRole) {
        return index.column() == Meaning && row->problems.empty() ? QVariant(colors_.muted) : QVariant();
    }
    if (role != Qt::DisplayRole && role != Qt::AccessibleTextRole) {
        return {};
    }
    if (index.column() == Name) {
        return below ? QString() : qs(row->name);
    }
    return below && index.column() == Meaning ? QVariant() : text(*row, use_of(index), index.column());
}

QVariant SettingsModel::headerData(int section, Qt::Orientation orientation, int role) const {
    return column_title({tr("Variable"), tr("Value"), tr("Ranks"), tr("Set by"), tr("What it does")}, section,
                        orientation, role);
}

}  // namespace rankscope::gui
