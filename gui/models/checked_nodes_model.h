// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <gui/models/checks_model.h>

#include <QAbstractTableModel>
#include <memory>
#include <string>
#include <vector>

namespace rankscope::gui {

/// A row for each node of a preflight: what its checks say, what the run uses there and why, and what is different on
/// it. The ids name checks that concern some nodes and not all.
class CheckedNodesModel : public QAbstractTableModel {
    Q_OBJECT

public:
    enum Column { Node, Result, Differs, Interface, Address, Why, NUM_COLUMNS };
    enum Role { StatusRole = Qt::UserRole };

    using QAbstractTableModel::QAbstractTableModel;

    void set_report(std::shared_ptr<const PreflightReport> report);
    std::string node_at(int row) const;

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role = Qt::DisplayRole) const override;

private:
    struct Row {
        std::string node;
        QString label;
        CheckCounts counts;
        InterfaceChoice choice;
        QString differs;
    };
    QString text(const Row& row, int column) const;

    std::vector<Row> rows_;
};

}  // namespace rankscope::gui
