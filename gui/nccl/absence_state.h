// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <gui/nccl/nccl_data.h>

#include <QWidget>

class QLabel;
class QPushButton;

namespace rankscope::gui {

/// Why there is nothing of NCCL to show.
enum class NcclAbsence { None, Nothing, Reading, Waiting, Gloo, NoLines };
NcclAbsence absence_of(const NcclData& data);

/// What is shown instead: why, and where it helps a button that makes the next run print it.
class AbsenceState : public QWidget {
    Q_OBJECT

public:
    explicit AbsenceState(QWidget* parent = nullptr);
    void set_absence(NcclAbsence absence, const NcclData& of);

signals:
    /// The user wants NCCL_DEBUG in the job.
    void debugRequested();

private:
    QLabel* title_;
    QLabel* text_;
    QPushButton* set_debug_;
};

}  // namespace rankscope::gui
