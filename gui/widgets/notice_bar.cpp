// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <gui/strings.h>
#include <gui/widgets/layout_helpers.h>
#include <gui/widgets/notice_bar.h>

#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QVBoxLayout>

namespace rankscope::gui {

NoticeBar::NoticeBar(Kind kind, const char* object_name, QWidget* parent)
    : QFrame(parent),
      title_(make_label({}, this)),
      text_(make_label({}, this)),
      action_(new QPushButton(this)),
      dismiss_(new QPushButton(tr("Dismiss"), this)) {
    setObjectName(QString::fromLatin1(object_name));
    setProperty("role", kind == Kind::Fault ? u"banner"_s : u"notice"_s);
    auto* layout = new QHBoxLayout(this);
    layout->setContentsMargins(12, 8, 10, 8);
    layout->setSpacing(12);
    auto* texts = new QVBoxLayout;
    texts->setSpacing(3);
    for (QLabel* label : {title_, text_}) {
        label->setWordWrap(true);
        label->setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
        texts->addWidget(label);
    }
    QFont bold = title_->font();
    bold.setBold(true);
    title_->setFont(bold);
    layout->addLayout(texts, 1);
    layout->addWidget(action_, 0, Qt::AlignVCenter);
    layout->addWidget(dismiss_, 0, Qt::AlignVCenter);
    action_->hide();
    dismiss_->hide();
    dismiss_->setObjectName(objectName() + u"Dismiss"_s);
    connect(dismiss_, &QPushButton::clicked, this, [this] {
        hide();
        emit dismissed();
    });
    action_->setObjectName(objectName() + u"Action"_s);
    connect(action_, &QPushButton::clicked, this, &NoticeBar::actionTriggered);
    hide();
}

void NoticeBar::set_text(const QString& title, const QString& text) {
    title_->setText(title);
    text_->setText(text);
    text_->setVisible(!text.isEmpty());
    setAccessibleName(title);
    setVisible(!title.isEmpty());
}

void NoticeBar::set_action(const QString& text) {
    action_->setText(text);
    action_->setVisible(!text.isEmpty());
}

void NoticeBar::set_dismissable(bool dismissable) {
    dismiss_->setVisible(dismissable);
}

QString NoticeBar::text() const {
    return text_->text().isEmpty() ? title_->text() : QString(title_->text() % u'\n' % text_->text());
}

}  // namespace rankscope::gui
