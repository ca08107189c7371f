// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <gui/session/fleet.h>

#include <QStringList>
#include <QTimer>
#include <QWidget>
#include <optional>
#include <string>
#include <vector>

class QComboBox;
class QLabel;
class QLayout;
class QPushButton;
class QSplitter;

namespace rankscope::gui {

class AddedBar;
class FirstSteps;
class FittedTable;
class NodeDetails;
class NoticeBar;

/// The nodes: table, details of the selected one, and the buttons that change the inventory or probe.
class FleetPage : public QWidget {
    Q_OBJECT

public:
    explicit FleetPage(Fleet* fleet, QWidget* parent = nullptr);

    /// Selects this machine; without one of this name the first.
    void select_node(const std::string& name);
    /// Whether the store has runs; the first steps are for users without.
    void set_has_runs(bool has_runs);
    /// How often use and memory of the nodes are read while the page is on view; 5 s at first.
    void set_refresh_s(int seconds);
    /// Shows the first steps, until the user hides them.
    void show_first_steps();
    /// Shows which process holds this port of a node, and offers to free it.
    void show_port(const QString& node, int port);
    /// The runs on the selected machines, whichever computer started them.
    void open_runs();

signals:
    /// The user wants to train on MNIST with this computer.
    void quickStartRequested();
    /// Of a first job, on these nodes.
    void trainingRequested(const std::vector<std::string>& nodes);
    /// The run store has this run, and the user wants to watch it.
    void runRequested(const QString& run_id);

protected:
    void showEvent(QShowEvent* event) override;
    void hideEvent(QHideEvent* event) override;

private:
    QWidget* make_buttons();
    void connect_first_steps();
    void update_first_steps();
    void show_menu(const QPoint& at);
    void connect_parts();
    void update_state();
    void update_details();
    void make_filter(QLayout* bar);
    void update_filter();
    /// Hides the rows of other groups.
    void apply_filter();
    int shown_rows() const;
    QStringList group_names() const;
    void open_selected();
    /// The node whose details are shown; empty: none.
    std::string selected() const;
    /// Of the table's order; without this computer where `inventory_only`.
    std::vector<NodeSpec> selection(bool inventory_only) const;
    static std::vector<std::string> names_of(const std::vector<NodeSpec>& nodes);

    // fleet_page_dialogs.cpp
    void open_dialog(const std::string& name);
    void open_import();
    void open_keys(const std::vector<NodeSpec>& nodes);
    void set_up(const std::vector<NodeSpec>& nodes);
    void connect_added();
    std::vector<NodeSpec> added_nodes() const;
    void select_nodes(const std::vector<std::string>& names);
    void open_leftovers(const std::string& node, int port);
    void open_batch_dialog(const std::vector<NodeSpec>& nodes);
    void open_shell();
    void ask_remove();
    void refresh_figures();

    Fleet* fleet_;
    std::vector<std::string> keep_selected_{kLocalNodeName};
    NoticeBar* problems_;
    QLabel* summary_;
    FirstSteps* first_steps_;
    AddedBar* added_;
    std::optional<bool> has_runs_;  ///< nothing: not known yet
    bool steps_wanted_ = false;
    bool steps_begun_ = false;
    bool steps_hidden_ = false;
    QComboBox* filter_;  ///< a group; hidden while there is none
    FittedTable* table_;
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
