// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <remote/desk/store/run_labels.h>

#include <QDialog>

class QCheckBox;
class QLineEdit;
class QPlainTextEdit;

namespace rankscope::gui {

/// Star, tags, group and note of a run.
class LabelsDialog : public QDialog {
    Q_OBJECT

public:
    LabelsDialog(const QString& run_name, const RunLabels& labels, QWidget* parent);

    RunLabels labels() const;

private:
    QCheckBox* star_;
    QLineEdit* tags_;
    QLineEdit* group_;
    QPlainTextEdit* note_;
};

}  // namespace rankscope::gui
