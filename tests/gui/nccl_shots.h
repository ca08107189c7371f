// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <QSize>
#include <functional>

class QWidget;

namespace rankscope::gui::testing {

/// Pictures of the NCCL pane: in Live, and with logs from elsewhere.
void nccl_shots(QSize size, const std::function<void(QWidget*, const char*)>& take);

}  // namespace rankscope::gui::testing
