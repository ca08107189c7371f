// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <gui/runs/labels_dialog.h>
#include <gui/strings.h>

#include <QCheckBox>
#include <QDialogButtonBox>
#include <QFormLayout>
#include <QLineEdit>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QVBoxLayout>

namespace rankscope::gui {

LabelsDialog::LabelsDialog(const QString& run_name, const RunLabels& labels, QWidget* parent)
    : QDialog(parent) {
    setObjectName(u"labelsDialog"_s);
    constexpr qsizetype kTitleName = 60;
    setWindowTitle(
        tr("Labels of %1")
            .arg(run_name.size() <= kTitleName ? run_name : QString(run_name.left(kTitleName) % u'…')));
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(18, 16, 18, 14);
    layout->setSpacing(12);
    auto* form = new QFormLayout;
    star_ = new QCheckBox(tr("&Starred"), this);
    star_->setObjectName(u"labelStar"_s);
    star_->setChecked(labels.starred);
    form->addRow(QString(), star_);
    QStringList tags;
    for (const auto& tag : labels.tags) {
        tags += qs(tag);
    }
    tags_ = new QLineEdit(tags.join(u", "_s), this);
    tags_->setObjectName(u"labelTags"_s);
    tags_->setPlaceholderText(tr("baseline, paper"));
    tags_->setToolTip(
        tr("Separated by commas. A blank within a tag becomes a hyphen: tag:NAME ends at a blank."));
    form->addRow(tr("&Tags"), tags_);
    group_ = new QLineEdit(qs(labels.group), this);
    group_->setObjectName(u"labelGroup"_s);
    group_->setPlaceholderText(tr("runs that belong together, for example one per seed"));
    form->addRow(tr("&Group"), group_);
    note_ = new QPlainTextEdit(qs(labels.note), this);
    note_->setObjectName(u"labelNote"_s);
    note_->setAccessibleName(tr("Note"));
    note_->setTabChangesFocus(true);
    form->addRow(tr("&Note"), note_);
    layout->addLayout(form, 1);
    auto* buttons = new QDialogButtonBox(QDialogButtonBox::Save | QDialogButtonBox::Cancel, this);
    buttons->button(QDialogButtonBox::Save)->setObjectName(u"labelSave"_s);
    layout->addWidget(buttons);
    connect(buttons, &QDialogButtonBox::accepted, this, &QDialog::accept);
    connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
    tags_->setFocus();
    resize(520, 340);
}

RunLabels LabelsDialog::labels() const {
    RunLabels labels;
    labels.starred = star_->isChecked();
    labels.group = ss(group_->text().trimmed());
    labels.note = ss(note_->toPlainText());
    for (const QString& tag : tags_->text().split(u',')) {
        labels.add_tag(ss(tag.simplified().replace(u' ', u'-')));  // "tag:NAME" ends at a blank
    }
    return labels;
}

}  // namespace rankscope::gui
