// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <gui/preferences/settings_section.h>

class QKeySequenceEdit;
class QLabel;
class QPushButton;
class QTableWidget;

namespace rankscope::gui {

class ActionRegistry;

/// The keys of every action, to change; keys that only one page has are listed, too.
class ShortcutSection : public SettingsSection {
    Q_OBJECT

public:
    ShortcutSection(SettingsFile* file, ActionRegistry* actions, QWidget* parent);

protected:
    void fill(const Settings& settings) override;

private:
    void fill_table();
    QWidget* make_editor();
    QString selected_id() const;
    QString wanted_keys() const;
    void update_editor();
    void check_keys();
    void assign(const QString& keys);

    ActionRegistry* actions_;
    QTableWidget* table_;
    QLabel* name_ = nullptr;
    QKeySequenceEdit* edit_ = nullptr;
    QPushButton* assign_ = nullptr;
    QPushButton* remove_ = nullptr;
    QPushButton* default_ = nullptr;
    QLabel* problem_ = nullptr;
};

}  // namespace rankscope::gui
