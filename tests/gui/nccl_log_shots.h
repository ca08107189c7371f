// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <QSize>
#include <functional>

class QWidget;

namespace rankscope::gui::testing {

/// Pictures of the folded log and of the settings: healthy, one rank differs, 1,024 ranks, misspelt, empty.
void nccl_log_shots(QSize size, const std::function<void(QWidget*, const char*)>& take);

}  // namespace rankscope::gui::testing
