// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <gui/data/live_data.h>

#include <QDialog>

class QLabel;
class QLineEdit;
class QPushButton;

namespace rankscope::gui {

/// Asks for a formula over the metrics of a run; an error is shown while one types, with its place.
class FormulaDialog : public QDialog {
    Q_OBJECT

public:
    /// `text`: what there is to change; empty: a new one.
    FormulaDialog(const LiveData& run, const QString& text, QWidget* parent);
    QString formula() const;

private:
    void check();

    QLineEdit* text_;
    QLabel* error_;
    QPushButton* accept_;
};

}  // namespace rankscope::gui
