// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <gui/models/fleet_model.h>

#include <QFrame>

class QLabel;
class QPlainTextEdit;
class QPushButton;
class QStackedWidget;

namespace rankscope::gui {

class ElidedLabel;

/// Everything known about the selected node: its facts, or what failed, what to do, and the raw evidence.
class NodeDetails : public QFrame {
    Q_OBJECT

public:
    explicit NodeDetails(QWidget* parent = nullptr);
    void set_node(const FleetNode* node);
    QString text() const;

private:
    QWidget* make_failure();

    ElidedLabel* title_;
    QLabel* hint_;
    QPushButton* copy_;
    QStackedWidget* stack_;
    QPlainTextEdit* facts_;
    QLabel* what_;
    QLabel* remedy_;
    QPlainTextEdit* detail_;
    QString all_;
};

/// The facts as aligned "name  value" lines, to read and copy.
QString facts_text(const FleetNode& node);

}  // namespace rankscope::gui
