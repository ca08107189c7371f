// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <gui/settings/settings_file.h>

#include <QDialog>
#include <vector>

class QLineEdit;
class QListWidget;
class QPushButton;
class QStackedWidget;

namespace rankscope::gui {

class ActionRegistry;
class NoticeBar;
class SettingsSection;
class Workspace;

/// The settings in sections. What is changed holds at once; a section can be reset, and all of them searched.
class SettingsDialog : public QDialog {
    Q_OBJECT

public:
    SettingsDialog(Workspace* workspace, ActionRegistry* actions, QWidget* parent);

    void show_part(SettingsPart part);

signals:
    void notificationTestRequested();

private:
    void add(SettingsSection* section);
    QWidget* make_left();
    void search(const QString& words);
    void reset_section();
    void update_buttons();

    SettingsFile* file_;
    std::vector<SettingsSection*> sections_;
    QLineEdit* search_;
    QListWidget* list_;
    QStackedWidget* pages_;
    QPushButton* reset_;
    NoticeBar* news_;
};

}  // namespace rankscope::gui
