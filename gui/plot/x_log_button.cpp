// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <gui/plot/x_log_button.h>

#include <QCoreApplication>
#include <QToolButton>

namespace rankscope::gui {

namespace {

struct Words {
    Q_DECLARE_TR_FUNCTIONS(XLogButton)
};

}  // namespace

QToolButton* make_x_log_button(const char* object_name, QWidget* parent) {
    auto* button = new QToolButton(parent);
    button->setObjectName(QString::fromLatin1(object_name));
    button->setText(Words::tr("Log x"));
    button->setCheckable(true);
    button->setAccessibleName(Words::tr("Logarithmic x axis"));
    set_x_log_possible(button, true);
    return button;
}

void set_x_log_possible(QToolButton* button, bool possible) {
    button->setEnabled(possible);
    button->setToolTip(
        possible ? Words::tr("Logarithmic x axis (Shift+L in the curves): the first steps as wide as the "
                             "last ones")
                 : Words::tr("A clock has no logarithmic axis: choose steps, epochs, samples or the time "
                             "since the start."));
}

}  // namespace rankscope::gui
