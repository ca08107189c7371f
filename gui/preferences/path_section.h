// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <gui/preferences/settings_section.h>

#include <filesystem>

class QLabel;
class QLineEdit;

namespace rankscope::gui {

class Workspace;

/// Where the program keeps its files; the folder of the run store can be changed.
class PathSection : public SettingsSection {
    Q_OBJECT

public:
    PathSection(SettingsFile* file, Workspace* workspace, QWidget* parent);

protected:
    void fill(const Settings& settings) override;

private:
    void add_file(const std::string& key, const QString& label, const QString& path);
    void take_folder();

    Workspace* workspace_;
    QLineEdit* folder_;
    QLabel* later_;
};

}  // namespace rankscope::gui
