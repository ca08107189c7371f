// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <gui/models/fleet_model.h>

#include <QFrame>
#include <array>
#include <cstdint>
#include <string>
#include <vector>

class QLabel;
class QPlainTextEdit;
class QPushButton;
class QStackedWidget;
class QTextEdit;

namespace rankscope::gui {

class ElidedLabel;

/// All known facts of the selected node; or its failure, the remedy, and the raw evidence.
class NodeDetails : public QFrame {
    Q_OBJECT

public:
    explicit NodeDetails(QWidget* parent = nullptr);
    /// `now_us`: for the age of the facts.
    void set_node(const FleetNode* node, std::int64_t now_us);
    QString text() const;

private:
    QWidget* make_failure();

    ElidedLabel* title_;
    QLabel* hint_;
    QPushButton* copy_;
    QStackedWidget* stack_;
    QTextEdit* facts_;
    QLabel* what_;
    QLabel* remedy_;
    QPlainTextEdit* detail_;
    QString all_;
    QString shown_html_;
    std::string shown_node_;
};

/// One fact: its name and its value, translated.
struct Fact {
    QString name;
    QString value;
};
/// The facts of a node in two groups: connection and system, hardware.
std::array<std::vector<Fact>, 2> node_facts(const FleetNode& node);
/// "name<tab>value" lines, to copy.
QString facts_text(const FleetNode& node);

}  // namespace rankscope::gui
