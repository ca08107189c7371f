// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

namespace rankscope::gui {

/// While one exists, a display that cannot be used ends the program with exit code 1 and one sentence on
/// stderr. Qt itself would abort with a core dump. For the time in which QApplication is created.
class DisplayCheck {
public:
    DisplayCheck();
    DisplayCheck(const DisplayCheck&) = delete;
    DisplayCheck& operator=(const DisplayCheck&) = delete;
    ~DisplayCheck();
};

}  // namespace rankscope::gui
