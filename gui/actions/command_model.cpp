// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <gui/actions/command_model.h>
#include <gui/plain_text.h>
#include <gui/strings.h>

#include <algorithm>
#include <limits>
#include <utility>

namespace rankscope::gui {

namespace {

constexpr qsizetype kNever = std::numeric_limits<qsizetype>::max();
constexpr int kRecentBonus = 4;
constexpr int kBeginningBonus = 20;
constexpr int kWholeBonus = 20;

/// A command whose own text fits counts before one that fits by its group.
std::optional<FuzzyMatch> match_command(const QString& query, const Command& command) {
    const QString wanted = query.trimmed();
    auto match = fuzzy_match(query, command.text);
    if (!match) {
        return fuzzy_match(query, command.text % u' ' % command.group);
    }
    const bool begins = !wanted.isEmpty() && command.text.startsWith(wanted, Qt::CaseInsensitive);
    match->score += begins ? kBeginningBonus : 0;
    match->score += begins && command.text.size() == wanted.size() ? kWholeBonus : 0;
    return match;
}

}  // namespace

void CommandModel::set_commands(std::vector<Command> commands, const QStringList& recent) {
    beginResetModel();
    commands_.clear();
    recency_.clear();
    rows_.clear();
    endResetModel();
    add_commands(std::move(commands), recent);
    set_query({});
}

void CommandModel::add_commands(std::vector<Command> commands, const QStringList& recent) {
    for (Command& command : commands) {
        const qsizetype at = recent.indexOf(command.id);
        recency_.push_back(at < 0 ? kNever : at);
        commands_.push_back(std::move(command));
    }
}

void CommandModel::set_query(const QString& query) {
    beginResetModel();
    query_ = query;
    rows_.clear();
    for (std::size_t i = 0; i < commands_.size(); ++i) {
        if (auto match = match_command(query, commands_[i])) {
            match->score += recency_[i] == kNever ? 0 : kRecentBonus;
            rows_.push_back({i, std::move(*match)});
        }
    }
    const bool searching = !query.trimmed().isEmpty();
    std::stable_sort(rows_.begin(), rows_.end(), [this, searching](const Row& a, const Row& b) {
        if (searching && a.match.score != b.match.score) {
            return a.match.score > b.match.score;
        }
        return recency_[a.command] < recency_[b.command];
    });
    endResetModel();
}

const Command* CommandModel::at(int row) const {
    return row >= 0 && std::size_t(row) < rows_.size() ? &commands_[rows_[std::size_t(row)].command]
                                                       : nullptr;
}

int CommandModel::rowCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : int(rows_.size());
}

QVariant CommandModel::data(const QModelIndex& index, int role) const {
    const Command* command = index.isValid() && index.model() == this ? at(index.row()) : nullptr;
    if (command == nullptr) {
        return {};
    }
    switch (role) {
        case Qt::DisplayRole:
            return command->text;
        case Qt::ToolTipRole:
            return plain_text(command->blocked.isEmpty() ? command->text
                                                         : QString(command->text % u'\n' % command->blocked));
        case Qt::AccessibleTextRole: {
            QStringList parts{command->text, command->group, command->keys, command->blocked};
            parts.removeAll(QString());
            return parts.join(u", "_s);
        }
        case GroupRole:
            return command->group;
        case KeysRole:
            return command->keys;
        case BlockedRole:
            return command->blocked;
        case PositionsRole: {
            QVariantList positions;
            for (const int position : rows_[std::size_t(index.row())].match.positions) {
                positions += position;
            }
            return positions;
        }
        default:
            return {};
    }
}

Qt::ItemFlags CommandModel::flags(const QModelIndex& index) const {
    return index.isValid() ? Qt::ItemIsEnabled | Qt::ItemIsSelectable | Qt::ItemNeverHasChildren
                           : Qt::ItemFlags();
}

}  // namespace rankscope::gui
