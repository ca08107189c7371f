// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <remote/diagnosis/check.h>

#include <QDialog>
#include <vector>

namespace rankscope::gui {

/// Shows the commands exactly as they run, where, and what takes them back; accepted: the user confirms.
class ApplyDialog : public QDialog {
    Q_OBJECT

public:
    /// `undo`: the undo commands run instead.
    ApplyDialog(const std::vector<Fix>& fixes, bool undo, QWidget* parent);
};

}  // namespace rankscope::gui
