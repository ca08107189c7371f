// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <gui/session/fleet.h>

#include <QWidget>
#include <string>

class QLabel;
class QPushButton;
class QSplitter;
class QTableView;

namespace rankscope::gui {

class NodeDetails;
class NoticeBar;

/// The nodes: table, details of the selected one, and the buttons that change the inventory or probe.
class FleetPage : public QWidget {
    Q_OBJECT

public:
    explicit FleetPage(Fleet* fleet, QWidget* parent = nullptr);

    /// Shows which process holds this port of a node, and offers to free it.
    void show_port(const QString& node, int port);

private:
    QWidget* make_buttons();
    void connect_parts();
    void fit_columns();
    void update_state();
    void update_details();
    void open_selected();
    std::string selected() const;
    void select(const std::string& name);
    void open_dialog(const std::string& name);
    void open_import();
    void open_keys();
    void open_leftovers(const std::string& node, int port);
    void ask_remove();

    Fleet* fleet_;
    std::string keep_selected_ = kLocalNodeName;
    NoticeBar* problems_;
    QLabel* summary_;
    QTableView* table_;
    NodeDetails* details_;
    QPushButton* add_;
    QPushButton* import_;
    QPushButton* keys_;
    QPushButton* left_;
    QPushButton* edit_;
    QPushButton* remove_;
    QPushButton* probe_;
    QPushButton* probe_all_;
    QPushButton* cancel_;
};

}  // namespace rankscope::gui
