// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <gui/preferences/settings_section.h>

class QSpinBox;

namespace rankscope::gui {

class ComboBox;
class SwatchRow;

/// Theme, font size, colours of ranks.
class AppearanceSection : public SettingsSection {
    Q_OBJECT

public:
    AppearanceSection(SettingsFile* file, QWidget* parent);

protected:
    void fill(const Settings& settings) override;

private:
    ComboBox* theme_;
    ComboBox* language_;
    ComboBox* family_;
    QSpinBox* font_;
    ComboBox* colors_;
    SwatchRow* swatches_;
};

}  // namespace rankscope::gui
