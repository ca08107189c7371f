// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <gui/strings.h>
#include <gui/widgets/empty_state.h>
#include <gui/widgets/layout_helpers.h>

#include <QLabel>
#include <QPushButton>
#include <QVBoxLayout>

namespace rankscope::gui {

namespace {

constexpr int kTextWidth = 480;

}  // namespace

EmptyState::EmptyState(const QString& title, const QString& text, const QString& action, QWidget* parent)
    : QWidget(parent),
      title_(make_label(title, this, "emptyTitle")),
      text_(make_label(text, this, "emptyText")) {
    auto* layout = new QVBoxLayout(this);
    layout->setSpacing(10);
    layout->addStretch(2);
    title_->setAlignment(Qt::AlignHCenter);
    text_->setAlignment(Qt::AlignHCenter);
    text_->setWordWrap(true);
    text_->setFixedWidth(kTextWidth);
    layout->addWidget(title_, 0, Qt::AlignHCenter);
    layout->addWidget(text_, 0, Qt::AlignHCenter);
    if (!action.isEmpty()) {
        button_ = make_button(action, "emptyStateAction", this, "primary");
        layout->addSpacing(8);
        layout->addWidget(button_, 0, Qt::AlignHCenter);
    }
    layout->addStretch(3);
    fit();
}

void EmptyState::fit() {
    // A wrapped label that is aligned gets the height of a single line from its layout.
    text_->ensurePolished();
    fit_height(text_, kTextWidth);
}

void EmptyState::showEvent(QShowEvent* event) {
    QWidget::showEvent(event);
    fit();
}

}  // namespace rankscope::gui
