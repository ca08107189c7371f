// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <gui/background_job.h>
#include <gui/preferences/settings_section.h>

class QLabel;
class QPushButton;
class QSpinBox;

namespace rankscope::gui {

class ComboBox;
class Workspace;

/// How often views follow, what the run store takes, and what it keeps.
class DataSection : public SettingsSection {
    Q_OBJECT

public:
    DataSection(SettingsFile* file, Workspace* workspace, QWidget* parent);

protected:
    void fill(const Settings& settings) override;
    void showEvent(QShowEvent* event) override;

private:
    void add_refresh();
    void add_output();
    /// `free`: bytes on the store's disk; negative: not known.
    void show_output_default(std::int64_t free);
    void add_storage();
    void measure();
    void preview();

    Workspace* workspace_;
    BackgroundJob measure_job_;
    BackgroundJob disk_job_;
    ComboBox* live_;
    QSpinBox* runs_;
    QSpinBox* fleet_;
    QSpinBox* output_;
    QLabel* output_note_;
    QLabel* used_;
    QSpinBox* days_;
    QSpinBox* size_;
    QPushButton* preview_;
};

}  // namespace rankscope::gui
