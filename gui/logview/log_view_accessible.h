// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

namespace rankscope::gui {

/// Lets screen readers read the current line of a LogView as its value. Once is enough.
void make_log_views_accessible();

}  // namespace rankscope::gui
