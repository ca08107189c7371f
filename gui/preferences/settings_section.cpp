// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <gui/preferences/settings_section.h>
#include <gui/strings.h>
#include <gui/widgets/field_form.h>
#include <gui/widgets/layout_helpers.h>

#include <QAbstractButton>
#include <QLabel>
#include <QScopedValueRollback>
#include <QVBoxLayout>
#include <algorithm>

namespace rankscope::gui {

SettingsSection::SettingsSection(SettingsPart part, const QString& title, SettingsFile* file, QWidget* parent)
    : QWidget(parent),
      part_(part),
      title_(title),
      file_(file),
      form_(new FieldForm(this)),
      column_(new QVBoxLayout(this)) {
    column_->setContentsMargins(18, 14, 18, 14);
    column_->setSpacing(10);
    column_->addWidget(make_label(title, this, "pageTitle"));
    column_->addWidget(form_);
}

void SettingsSection::add_note(const QString& text) {
    auto* note = make_label(text, this, "muted");
    note->setWordWrap(true);
    column_->addWidget(note);
}

bool SettingsSection::mentions(const QString& words) const {
    QString all = title_;
    for (const QLabel* label : findChildren<QLabel*>()) {
        all += u'\n' % label->text();
    }
    for (const QAbstractButton* button : findChildren<QAbstractButton*>()) {
        all += u'\n' % button->text();
    }
    all.remove(u'&');
    const QStringList wanted = words.split(u' ', Qt::SkipEmptyParts);
    return std::all_of(wanted.begin(), wanted.end(),
                       [&all](const QString& word) { return all.contains(word, Qt::CaseInsensitive); });
}

void SettingsSection::show_settings(const Settings& settings) {
    const QScopedValueRollback<bool> quiet(filling_, true);
    fill(settings);
}

}  // namespace rankscope::gui
