// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <gui/actions/fuzzy_match.h>

#include <QAbstractListModel>
#include <QStringList>
#include <functional>
#include <vector>

namespace rankscope::gui {

/// One line of the command palette.
struct Command {
    QString id;  ///< the same each time, for what was used last
    QString text;
    QString group;         ///< "Nodes", "Run"
    QString keys = {};     ///< as users read them
    QString blocked = {};  ///< why it cannot be done now; empty: it can
    std::function<void()> run = {};
};

/// Commands that fit a query, the best first; without a query the last used first.
class CommandModel : public QAbstractListModel {
    Q_OBJECT

public:
    enum Role { GroupRole = Qt::UserRole + 1, KeysRole, BlockedRole, PositionsRole };

    using QAbstractListModel::QAbstractListModel;
    /// `recent`: ids, the last one first.
    void set_commands(std::vector<Command> commands, const QStringList& recent);
    /// They are found from the next query on.
    void add_commands(std::vector<Command> commands, const QStringList& recent);
    void set_query(const QString& query);
    const Command* at(int row) const;

    int rowCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role) const override;
    Qt::ItemFlags flags(const QModelIndex& index) const override;

private:
    struct Row {
        std::size_t command = 0;
        FuzzyMatch match;
    };
    std::vector<Command> commands_;
    std::vector<qsizetype> recency_;  ///< by command: 0 = the last one used; large: never
    std::vector<Row> rows_;
    QString query_;
};

}  // namespace rankscope::gui
