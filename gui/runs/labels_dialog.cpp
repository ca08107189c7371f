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
#include <algorithm>

namespace rankscope::gui {

namespace {

QString tags_text(const std::vector<std::string>& tags) {
    QStringList texts;
    for (const std::string& tag : tags) {
        texts += qs(tag);
    }
    return texts.join(u", "_s);
}

std::vector<std::string> tags_in(const QLineEdit* edit) {
    RunLabels labels;  // sorts, and leaves out what is empty or there twice
    for (const QString& tag : edit->text().split(u',')) {
        labels.add_tag(ss(tag.simplified().replace(u' ', u'-')));  // "tag:NAME" ends at a blank
    }
    return labels.tags;
}

void add_difference(const std::vector<std::string>& before, const std::vector<std::string>& after,
                    LabelChange& change) {
    std::set_difference(after.begin(), after.end(), before.begin(), before.end(),
                        std::back_inserter(change.add_tags));
    std::set_difference(before.begin(), before.end(), after.begin(), after.end(),
                        std::back_inserter(change.remove_tags));
}

/// Whether all have the same.
template <typename Member>
bool agree(const std::vector<RunLabels>& labels, Member member) {
    return std::all_of(labels.begin(), labels.end(),
                       [&](const RunLabels& of_run) { return of_run.*member == labels.front().*member; });
}

}  // namespace

LabelsDialog::LabelsDialog(const QString& title, const std::vector<RunLabels>& labels, QWidget* parent)
    : QDialog(parent), before_(shared_tags(labels)) {
    setObjectName(u"labelsDialog"_s);
    setWindowTitle(title);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(18, 16, 18, 14);
    layout->setSpacing(12);
    auto* form = new QFormLayout;
    star_ = new QCheckBox(tr("&Starred"), this);
    star_->setObjectName(u"labelStar"_s);
    if (agree(labels, &RunLabels::starred)) {
        star_->setChecked(labels.front().starred);
    } else {
        star_->setTristate(true);
        star_->setCheckState(Qt::PartiallyChecked);
    }
    form->addRow(QString(), star_);
    add_tags(form);
    add_group(form, labels);
    add_note(form, labels);
    layout->addLayout(form, 1);
    auto* buttons = new QDialogButtonBox(QDialogButtonBox::Save | QDialogButtonBox::Cancel, this);
    buttons->button(QDialogButtonBox::Save)->setObjectName(u"labelSave"_s);
    layout->addWidget(buttons);
    connect(buttons, &QDialogButtonBox::accepted, this, &QDialog::accept);
    connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
    tags_->setFocus();
    resize(520, 340);
}

void LabelsDialog::add_tags(QFormLayout* form) {
    tags_ = new QLineEdit(tags_text(before_.of_all), this);
    tags_->setObjectName(u"labelTags"_s);
    tags_->setPlaceholderText(tr("baseline, paper"));
    tags_->setToolTip(
        tr("Separated by commas. A blank within a tag becomes a hyphen: tag:NAME ends at a blank."));
    if (before_.of_some.empty()) {
        form->addRow(tr("&Tags"), tags_);
        return;
    }
    form->addRow(tr("&Tags of all"), tags_);
    tags_of_some_ = new QLineEdit(tags_text(before_.of_some), this);
    tags_of_some_->setObjectName(u"labelSomeTags"_s);
    tags_of_some_->setToolTip(
        tr("A tag that stays here is not changed; one that you remove is taken from all of them."));
    form->addRow(tr("Tags of s&ome"), tags_of_some_);
}

void LabelsDialog::add_group(QFormLayout* form, const std::vector<RunLabels>& labels) {
    group_ = new QLineEdit(this);
    group_->setObjectName(u"labelGroup"_s);
    const QString hint = tr("runs that belong together, for example one per seed");
    if (agree(labels, &RunLabels::group)) {
        group_->setText(qs(labels.front().group));
        group_->setPlaceholderText(hint);
    } else {
        group_->setPlaceholderText(tr("different ones, which stay"));
        connect(group_, &QLineEdit::textEdited, this, [this, hint] { group_->setPlaceholderText(hint); });
    }
    form->addRow(tr("&Group"), group_);
}

void LabelsDialog::add_note(QFormLayout* form, const std::vector<RunLabels>& labels) {
    note_ = new QPlainTextEdit(this);
    note_->setObjectName(u"labelNote"_s);
    note_->setAccessibleName(tr("Note"));
    note_->setTabChangesFocus(true);
    if (agree(labels, &RunLabels::note)) {
        note_->setPlainText(qs(labels.front().note));
    } else {
        note_->setPlaceholderText(tr("different ones, which stay unless you write here"));
    }
    first_note_ = note_->toPlainText();
    form->addRow(tr("&Note"), note_);
}

LabelChange LabelsDialog::change() const {
    LabelChange change;
    if (star_->checkState() != Qt::PartiallyChecked) {
        change.starred = star_->isChecked();
    }
    if (group_->isModified()) {
        change.group = ss(group_->text().trimmed());
    }
    if (note_->toPlainText() != first_note_) {
        change.note = ss(note_->toPlainText());
    }
    add_difference(before_.of_all, tags_in(tags_), change);
    if (tags_of_some_) {
        add_difference(before_.of_some, tags_in(tags_of_some_), change);
    }
    // Moved from one field to the other: all get it.
    std::erase_if(change.remove_tags, [&](const std::string& tag) {
        return std::find(change.add_tags.begin(), change.add_tags.end(), tag) != change.add_tags.end();
    });
    return change;
}

}  // namespace rankscope::gui
