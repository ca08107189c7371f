// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <remote/desk/runs/preflight/preflight.h>

#include <QAbstractTableModel>
#include <QString>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace rankscope::gui {

/// "passed", "warning", "failed", "not seen".
QString check_status_text(CheckStatus status);
/// "node1, node2 and 3 more"; long names are shortened.
QString names_text(const std::vector<std::string>& names, std::size_t most);

/// How many checks have which status.
struct CheckCounts {
    int passed = 0;
    int warned = 0;
    int failed = 0;
    int skipped = 0;

    int all() const { return passed + warned + failed + skipped; }
};
/// Of all checks, or of those that name one node.
CheckCounts count_checks(const std::vector<Check>& checks, const std::string& node = {});
/// "2 failed, 1 warning", "8 passed".
QString counts_text(const CheckCounts& counts);

/// The checks of a preflight, the most serious first: all, those of one node or those of one direction.
class ChecksModel : public QAbstractTableModel {
    Q_OBJECT

public:
    enum Column { Status, Text, Nodes, NUM_COLUMNS };
    enum Role { StatusRole = Qt::UserRole };

    using QAbstractTableModel::QAbstractTableModel;

    void set_report(std::shared_ptr<const PreflightReport> report);
    void show_all();
    void show_node(const std::string& node);
    void show_pair(const NodePair& pair);
    const Check* check_at(int row) const;

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role = Qt::DisplayRole) const override;

private:
    void refill();

    std::shared_ptr<const PreflightReport> report_;
    std::vector<const Check*> shown_;
    std::string node_;
    std::optional<NodePair> pair_;
};

}  // namespace rankscope::gui
