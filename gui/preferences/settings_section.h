// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <gui/settings/settings_file.h>

#include <QWidget>

class QVBoxLayout;

namespace rankscope::gui {

class FieldForm;

/// One page of the settings dialog: shows the settings, and changes them at once.
class SettingsSection : public QWidget {
    Q_OBJECT

public:
    SettingsSection(SettingsPart part, const QString& title, SettingsFile* file, QWidget* parent);

    SettingsPart part() const { return part_; }
    const QString& title() const { return title_; }
    /// Whether a label, check box or button of it has all these words.
    bool mentions(const QString& words) const;
    /// Puts the values into the editors; no signal of an editor changes the settings meanwhile.
    void show_settings(const Settings& settings);

protected:
    virtual void fill(const Settings& settings) = 0;
    template <typename Change>
    void change(Change apply) {
        if (!filling_) {
            Settings settings = file_->now();
            apply(settings);
            file_->set(settings);
        }
    }
    const Settings& now() const { return file_->now(); }
    FieldForm* form() const { return form_; }
    QVBoxLayout* column() const { return column_; }
    /// A wrapped sentence below the rows so far.
    void add_note(const QString& text);

private:
    SettingsPart part_;
    QString title_;
    SettingsFile* file_;
    FieldForm* form_;
    QVBoxLayout* column_;
    bool filling_ = false;
};

}  // namespace rankscope::gui
