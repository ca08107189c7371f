// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <gui/data/live_data.h>
#include <gui/data/panel_settings.h>

#include <QDialog>

class QLabel;
class QLineEdit;
class QPushButton;

namespace rankscope::gui {

class ComboBox;

/// Asks for a formula over the metrics of a run; an error is shown while one types, with its place.
class FormulaDialog : public QDialog {
    Q_OBJECT

public:
    /// `text`: what there is to change; empty: a new one.
    FormulaDialog(const LiveData& run, const QString& text, QWidget* parent);
    QString formula() const;
    /// Title and unit of its panel.
    void set_look(const PanelSettings& settings);
    PanelSettings look(PanelSettings settings) const;

private:
    void check();

    QLineEdit* text_;
    QLineEdit* title_;
    ComboBox* unit_;
    QLabel* error_;
    QPushButton* accept_;
};

}  // namespace rankscope::gui
