// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

namespace rankscope::gui {

/// Resources of a static library are only found after they are initialised by name.
void load_resources();

}  // namespace rankscope::gui
