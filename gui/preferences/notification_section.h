// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <gui/preferences/settings_section.h>

#include <array>

class QCheckBox;
class QLineEdit;
class QPlainTextEdit;
class QSpinBox;

namespace rankscope::gui {

/// What the user hears of, and how.
class NotificationSection : public SettingsSection {
    Q_OBJECT

public:
    NotificationSection(SettingsFile* file, QWidget* parent);

signals:
    /// The user wants to see a notification with these settings.
    void testRequested();

protected:
    void fill(const Settings& settings) override;

private:
    void add_kinds();
    void add_ways();
    void take_rules();
    void take_command();

    std::array<QCheckBox*, 6> kinds_{};
    QLineEdit* metric_;
    QSpinBox* steps_;
    QPlainTextEdit* rules_;
    QCheckBox* desktop_;
    QCheckBox* sound_;
    QLineEdit* command_;
};

}  // namespace rankscope::gui
