// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <gui/doctor/apply_dialog.h>
#include <gui/doctor/fix_row.h>
#include <gui/strings.h>
#include <gui/texts.h>
#include <gui/widgets/layout_helpers.h>

#include <QFontDatabase>
#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QVBoxLayout>
#include <utility>

namespace rankscope::gui {

QString job_keys_text(const Fix& fix) {
    QStringList keys;
    for (const auto& [key, value] : fix.job) {
        keys += QString(qs(key) % u": "_s % qs(value));
    }
    return keys.join(u", "_s);
}

void ask_to_apply(const std::vector<Fix>& fixes, FixRunner* runner, QWidget* parent) {
    auto* dialog = new ApplyDialog(fixes, false, parent->window());
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    QObject::connect(dialog, &QDialog::accepted, runner, [runner, fixes] { runner->apply(fixes); });
    dialog->open();
}

FixRow::FixRow(Fix fix, FixRunner* runner, QWidget* parent)
    : QWidget(parent), fix_(std::move(fix)), runner_(runner) {
    setObjectName(u"fixRow"_s);
    auto* layout = new QHBoxLayout(this);
    layout->setContentsMargins(0, 2, 0, 2);
    layout->setSpacing(8);
    auto* texts = new QVBoxLayout;
    texts->setSpacing(2);
    const bool of_job = fix_.command.empty();
    auto* what =
        make_label(of_job ? tr("Set %1 in the job").arg(job_keys_text(fix_)) : qs(fix_.command), this);
    what->setObjectName(u"fixText"_s);
    what->setWordWrap(true);
    what->setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
    if (!of_job) {
        what->setFont(QFontDatabase::systemFont(QFontDatabase::FixedFont));
    }
    texts->addWidget(what);
    QStringList about;
    if (!fix_.node.empty()) {
        about += fix_.needs_root ? tr("on %1, as root").arg(qs(fix_.node)) : tr("on %1").arg(qs(fix_.node));
    }
    if (!fix_.undo.empty()) {
        about += tr("undo: %1").arg(qs(fix_.undo));
    }
    if (!about.isEmpty()) {
        auto* where = make_label(about.join(u" · "_s), this, "muted");
        where->setObjectName(u"fixAbout"_s);
        where->setWordWrap(true);
        where->setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
        texts->addWidget(where);
    }
    state_ = make_label({}, this, "muted");
    state_->setObjectName(u"fixState"_s);
    state_->setWordWrap(true);
    texts->addWidget(state_);
    texts->addStretch();
    layout->addLayout(texts, 1);
    auto* copy = make_button(tr("Copy"), "fixCopy", this);
    copy->setAccessibleName(tr("Copy the fix"));
    apply_ = make_button(of_job ? tr("Apply to the job") : tr("Apply…"), "fixApply", this);
    undo_ = make_button(tr("Undo…"), "fixUndo", this);
    start_ = make_button(of_job ? tr("Set and start again") : tr("Apply and start again…"), "fixStart", this);
    start_->hide();
    connect(start_, &QPushButton::clicked, this, &FixRow::apply_and_start);
    for (QPushButton* button : {copy, apply_, start_, undo_}) {
        layout->addWidget(button, 0, Qt::AlignTop);
    }
    connect(copy, &QPushButton::clicked, this,
            [this] { copy_to_clipboard(fix_.command.empty() ? job_keys_text(fix_) : qs(fix_.command)); });
    connect(apply_, &QPushButton::clicked, this, [this, of_job] {
        if (of_job) {
            emit jobRequested(fix_.job);
        } else {
            ask_to_apply({fix_}, runner_, this);
        }
    });
    connect(undo_, &QPushButton::clicked, this, [this] {
        auto* dialog = new ApplyDialog({fix_}, true, window());
        dialog->setAttribute(Qt::WA_DeleteOnClose);
        connect(dialog, &QDialog::accepted, runner_, [runner = runner_, fix = fix_] { runner->undo(fix); });
        dialog->open();
    });
    connect(runner_, &FixRunner::changed, this, &FixRow::show_state);
    show_state();
}

void FixRow::offer_start(bool offer) {
    start_->setVisible(offer);
}

void FixRow::apply_and_start() {
    if (fix_.command.empty()) {
        emit startRequested(fix_.job);
        return;
    }
    if (runner_->entry(fix_).state == FixState::Applied) {
        emit startRequested({});
        return;
    }
    auto* dialog = new ApplyDialog({fix_}, false, window());
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    connect(dialog, &QDialog::accepted, this, [this] {
        starts_ = true;
        runner_->apply({fix_});
    });
    dialog->open();
}

void FixRow::show_state() {
    const FixRunner::Entry entry = runner_->entry(fix_);
    if (starts_ && (entry.failure || entry.state == FixState::Applied)) {
        starts_ = false;
        if (!entry.failure) {
            emit startRequested({});
        }
    }
    QString text;
    switch (entry.state) {
        case FixState::Open:
            break;
        case FixState::Applying:
            text = tr("applying…");
            break;
        case FixState::Applied:
            text = tr("applied");
            break;
        case FixState::Undoing:
            text = tr("undoing…");
            break;
    }
    if (entry.failure) {
        text = failure_text(*entry.failure);
    }
    state_->setText(text);
    state_->setVisible(!text.isEmpty());
    set_style_property(state_, "role", entry.failure ? u"fieldError"_s : u"muted"_s);
    apply_->setVisible(entry.state == FixState::Open || entry.state == FixState::Applying);
    apply_->setEnabled(entry.state == FixState::Open);
    start_->setEnabled(entry.state == FixState::Open || entry.state == FixState::Applied);
    undo_->setVisible(!apply_->isVisibleTo(this) && !fix_.undo.empty());
    undo_->setEnabled(entry.state == FixState::Applied);
}

}  // namespace rankscope::gui
