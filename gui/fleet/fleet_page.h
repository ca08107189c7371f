// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <gui/session/fleet.h>

#include <QTimer>
#include <QWidget>
#include <string>
#include <vector>

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

protected:
    void showEvent(QShowEvent* event) override;
    void hideEvent(QHideEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;

private:
    QWidget* make_buttons();
    void connect_parts();
    void fit_columns();
    void update_state();
    void update_details();
    void open_selected();
    /// The node whose details are shown; empty: none.
    std::string selected() const;
    /// Of the table's order; without this computer where `inventory_only`.
    std::vector<NodeSpec> selection(bool inventory_only) const;
    void select(const std::string& name);
    void open_dialog(const std::string& name);
    void open_import();
    void open_keys();
    void open_leftovers(const std::string& node, int port);
    void open_batch_dialog(const std::vector<NodeSpec>& nodes);
    void open_shell();
    void ask_remove();
    void refresh_figures();

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
    QPushButton* shell_;
    QPushButton* edit_;
    QPushButton* remove_;
    QPushButton* probe_;
    QPushButton* probe_all_;
    QPushButton* cancel_;
    QTimer figures_clock_;  ///< runs while the page is visible
};

}  // namespace rankscope::gui
