// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <gui/widgets/clear_button.h>

#include <QCoreApplication>
#include <QLineEdit>
#include <QToolButton>

namespace rankscope::gui {

namespace {

struct Words {
    Q_DECLARE_TR_FUNCTIONS(ClearButton)
};

}  // namespace

void add_clear_button(QLineEdit* field) {
    field->setClearButtonEnabled(true);
    for (QToolButton* button : field->findChildren<QToolButton*>()) {
        button->setAccessibleName(Words::tr("Clear"));
    }
}

}  // namespace rankscope::gui
