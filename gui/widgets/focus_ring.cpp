// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <gui/strings.h>
#include <gui/style/look.h>
#include <gui/widgets/focus_ring.h>

#include <QAbstractButton>
#include <QAbstractItemView>
#include <QAbstractSpinBox>
#include <QApplication>
#include <QComboBox>
#include <QFocusFrame>
#include <QLineEdit>
#include <QMenu>
#include <QMenuBar>
#include <QTabBar>

namespace rankscope::gui {

namespace {

/// Whether its style shows the focus already.
bool shows_focus(const QWidget* widget) {
    return qobject_cast<const QAbstractButton*>(widget) || qobject_cast<const QAbstractItemView*>(widget) ||
           qobject_cast<const QAbstractSpinBox*>(widget) || qobject_cast<const QComboBox*>(widget) ||
           qobject_cast<const QLineEdit*>(widget);
}

bool is_own_view(const QWidget* widget) {
    const QLatin1String name(widget->metaObject()->className());
    return name.startsWith(QLatin1String("rankscope::gui::")) || name == QLatin1String("QCustomPlot");
}

bool needs_ring(const QWidget* widget) {
    // A page has the focus only until one of its parts takes it; of a tab bar one tab is marked.
    const bool by_keys = (widget->focusPolicy() & Qt::TabFocus) != 0;
    if (widget->isWindow() || !by_keys || qobject_cast<const QMenu*>(widget) ||
        qobject_cast<const QMenuBar*>(widget) || qobject_cast<const QTabBar*>(widget)) {
        return false;
    }
    return is_high_contrast(widget->palette()) || (is_own_view(widget) && !shows_focus(widget));
}

}  // namespace

FocusRing::FocusRing(QObject* parent) : QObject(parent) {
    connect(qobject_cast<QApplication*>(QApplication::instance()), &QApplication::focusChanged, this,
            [this](QWidget* /*before*/, QWidget* now) { follow(now); });
}

void FocusRing::follow(QWidget* focused) {
    ringed_ = focused && needs_ring(focused) ? focused : nullptr;
    if (frame_) {
        frame_->setWidget(nullptr);
    }
    if (ringed_) {
        if (!frame_) {
            frame_ = new QFocusFrame(focused->window());  // the window owns it, and may end before this
        }
        frame_->setWidget(ringed_);
    }
}

}  // namespace rankscope::gui
