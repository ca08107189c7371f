// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <gui/live/pane_title.h>
#include <gui/strings.h>
#include <gui/widgets/layout_helpers.h>

#include <QHBoxLayout>
#include <QLabel>
#include <QMenu>
#include <QToolButton>

namespace rankscope::gui {

PaneTitle::PaneTitle(const QString& name, QWidget* parent) : QWidget(parent), menu_(new QMenu(this)) {
    auto* layout = new QHBoxLayout(this);
    layout->setContentsMargins(6, 2, 2, 2);
    layout->setSpacing(4);
    auto* move = new QToolButton(this);
    move->setText(tr("Move"));
    move->setAccessibleName(tr("Move %1").arg(name));
    move->setToolTip(tr("Drag this bar, or choose a place"));
    move->setPopupMode(QToolButton::InstantPopup);
    move->setMenu(menu_);
    auto* hide = new QToolButton(this);
    hide->setText(tr("Hide"));
    hide->setAccessibleName(tr("Hide %1").arg(name));
    hide->setToolTip(tr("View ▸ Panes shows it again"));
    pin_ = new QToolButton(this);
    pin_->setObjectName(u"panePin"_s);
    pin_->setText(tr("Pin"));
    pin_->setAccessibleName(tr("Pin %1").arg(name));
    pin_->setToolTip(tr("This window stays while another page is on view"));
    pin_->setCheckable(true);
    pin_->hide();
    connect(pin_, &QToolButton::toggled, this, &PaneTitle::pinned);
    for (QToolButton* button : {pin_, move, hide}) {
        button->setAutoRaise(true);
        button->setFocusPolicy(Qt::StrongFocus);
    }
    layout->addWidget(make_label(name, this, "sectionTitle"));
    layout->addStretch(1);
    layout->addWidget(pin_);
    layout->addWidget(move);
    layout->addWidget(hide);
    connect(hide, &QToolButton::clicked, this, &PaneTitle::hideRequested);
}

void PaneTitle::set_window(bool on) {
    pin_->setVisible(on);
}

bool PaneTitle::is_pinned() const {
    return pin_->isChecked();
}

QSize PaneTitle::sizeHint() const {
    return isHidden() ? QSize(0, 0) : QWidget::sizeHint();
}

QSize PaneTitle::minimumSizeHint() const {
    return isHidden() ? QSize(0, 0) : QWidget::minimumSizeHint();
}

}  // namespace rankscope::gui
