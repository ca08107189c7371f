// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <gui/plot/section_header.h>
#include <gui/strings.h>

#include <QContextMenuEvent>
#include <QKeyEvent>

namespace rankscope::gui {

SectionHeader::SectionHeader(QWidget* parent) : QToolButton(parent) {
    setObjectName(u"sectionHeader"_s);
    setAutoRaise(true);
    setFocusPolicy(Qt::StrongFocus);
    setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
    connect(this, &QToolButton::clicked, this, [this] { emit foldRequested(!folded_); });
}

void SectionHeader::set_section(const PanelSection& section) {
    key_ = section.key;
    folded_ = section.folded;
    const QString panels = tr("%n panel(s)", nullptr, int(section.names.size()));
    QString title = section.title;
    setText(folded_ ? QString(title.replace(u'&', u"&&"_s) % u"  ·  "_s % panels)
                    : title.replace(u'&', u"&&"_s));
    setArrowType(folded_ ? Qt::RightArrow : Qt::DownArrow);
    setAccessibleName(folded_ ? tr("Section %1, folded, %2").arg(section.title, panels)
                              : tr("Section %1, open, %2").arg(section.title, panels));
    setToolTip(folded_ ? tr("Show the panels of this section") : tr("Fold the panels of this section"));
}

void SectionHeader::keyPressEvent(QKeyEvent* event) {
    switch (event->key()) {
        case Qt::Key_Return:
        case Qt::Key_Enter:
            emit foldRequested(!folded_);
            break;
        case Qt::Key_Left:
            emit foldRequested(true);
            break;
        case Qt::Key_Right:
            emit foldRequested(false);
            break;
        default:
            QToolButton::keyPressEvent(event);
    }
}

void SectionHeader::contextMenuEvent(QContextMenuEvent* event) {
    emit menuRequested(event->globalPos());
    event->accept();
}

}  // namespace rankscope::gui
