// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <gui/style/theme.h>
#include <remote/logs/fold/folded_rows.h>

#include <QAbstractItemModel>
#include <memory>
#include <vector>

namespace rankscope::gui {

/// The folded lines of all ranks that pass a filter; below a line, the ranks that differ.
class FoldedModel : public QAbstractItemModel {
    Q_OBJECT

public:
    enum Column { Ranks, Line, Subsystem, Count, ColumnCount };

    using QAbstractItemModel::QAbstractItemModel;

    void set_rows(std::shared_ptr<const logs::FoldedRows> rows);
    void set_filter(const logs::FoldedFilter& filter);
    void set_colors(const ThemeColors& colors);
    /// The line of an index, also of one below it; null: none.
    const logs::FoldedRow* row_of(const QModelIndex& index) const;
    /// The ranks that differ, of an index below a line; null: a line itself.
    const logs::OddOne* odd_of(const QModelIndex& index) const;
    int shown() const { return int(shown_.size()); }

    QModelIndex index(int row, int column, const QModelIndex& parent = {}) const override;
    QModelIndex parent(const QModelIndex& index) const override;
    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

private:
    void choose();
    QString odd_text(const logs::OddOne& odd) const;

    std::shared_ptr<const logs::FoldedRows> rows_;
    std::vector<std::size_t> shown_;
    logs::FoldedFilter filter_;
    ThemeColors colors_;
};

}  // namespace rankscope::gui
