// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <gui/style/theme.h>
#include <remote/logs/variables/setting_rows.h>

#include <QAbstractItemModel>
#include <vector>

namespace rankscope::gui {

/// Variables in force; below one with several values, each value.
class SettingsModel : public QAbstractItemModel {
    Q_OBJECT

public:
    enum Column { Name, Value, Ranks, From, Meaning, ColumnCount };

    using QAbstractItemModel::QAbstractItemModel;

    void set_rows(std::vector<logs::SettingRow> rows);
    void set_colors(const ThemeColors& colors);
    const std::vector<logs::SettingRow>& rows() const { return rows_; }
    /// The variable of an index, also of one below it; null: none.
    const logs::SettingRow* row_of(const QModelIndex& index) const;
    const logs::SettingUse* use_of(const QModelIndex& index) const;

    QModelIndex index(int row, int column, const QModelIndex& parent = {}) const override;
    QModelIndex parent(const QModelIndex& index) const override;
    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

private:
    QVariant text(const logs::SettingRow& row, const logs::SettingUse* use, int column) const;

    std::vector<logs::SettingRow> rows_;
    ThemeColors colors_;
};

/// Who set a value of a variable.
QString origin_text(const logs::SettingUse& use, const std::string& name);
/// Whether a line of NCCL alone cannot say who did.
bool origin_is_open(const logs::SettingUse& use, const std::string& name);

}  // namespace rankscope::gui
