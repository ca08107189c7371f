// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <gui/app/resources.h>

#include <QResource>

// Q_INIT_RESOURCE declares a function of the global namespace.
static void init_resources() {
    Q_INIT_RESOURCE(rankscope);
    Q_INIT_RESOURCE(translations);
}

namespace rankscope::gui {

void load_resources() {
    init_resources();
}

}  // namespace rankscope::gui
