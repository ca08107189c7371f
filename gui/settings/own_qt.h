// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <QString>

namespace rankscope::gui {

/// ../lib/rankscope/qt next to the program's folder, which a wheel or tarball brings: plugins, translations, fonts. Empty: Qt
/// is the system's.
QString own_qt_folder();
/// Plugins come from that folder alone, since those of the system may be of another Qt; fonts where the system has no
/// configuration of any. Before QApplication exists.
void use_own_qt();

}  // namespace rankscope::gui
