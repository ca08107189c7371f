// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <gui/prompts/question_dialog.h>

#include <QShowEvent>

namespace rankscope::gui {

namespace {

constexpr int kDelayMs = 500;

}  // namespace

QuestionDialog::QuestionDialog(QWidget* parent) : QDialog(parent) {
    delay_.setSingleShot(true);
    connect(&delay_, &QTimer::timeout, this, [this] { update_buttons(); });
}

void QuestionDialog::changed() {
    delay_.start(kDelayMs);
    update_buttons();
}

void QuestionDialog::showEvent(QShowEvent* event) {
    QDialog::showEvent(event);
    if (!event->spontaneous()) {
        changed();
    }
}

void QuestionDialog::reject() {
    if (ready()) {
        QDialog::reject();
    }
}

void QuestionDialog::accept() {
    if (ready()) {
        QDialog::accept();
    }
}

}  // namespace rankscope::gui
