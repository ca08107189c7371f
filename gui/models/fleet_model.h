// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <base/failure.h>
#include <remote/desk/config/inventory.h>
#include <remote/desk/node/node_facts.h>
#include <remote/desk/plan/launch_plan.h>

#include <QAbstractTableModel>
#include <optional>
#include <string>
#include <vector>

namespace rankscope::gui {

enum class ProbeState { NotProbed, Connecting, Ready, Failed };

struct FleetNode {
    NodeSpec spec;
    ProbeState state = ProbeState::NotProbed;
    std::string progress;            ///< while connecting
    std::optional<NodeFacts> facts;  ///< of this probe, or of the last one ever
    bool facts_are_old = false;      ///< from the store: not of this session
    Failure failure;                 ///< when Failed
};

/// The machines. "This computer" is always the first row.
class FleetModel : public QAbstractTableModel {
    Q_OBJECT

public:
    enum Column { Name, Address, State, Devices, Cpus, Memory, Os, RoundTrip, Clock, NUM_COLUMNS };
    enum Role { ProbeStateRole = Qt::UserRole };

    explicit FleetModel(QObject* parent = nullptr);

    /// What is known of a node stays when its name and its way there are the same.
    void set_nodes(const std::vector<NodeSpec>& nodes);
    void set_old_facts(const KnownFacts& facts);
    void set_connecting(const std::string& name, const std::string& progress);
    void set_ready(const std::string& name, const NodeFacts& facts);
    void set_failed(const std::string& name, const Failure& failure);
    /// Back to what it was before: the probe was cancelled.
    void set_cancelled(const std::string& name);

    const std::vector<FleetNode>& nodes() const { return nodes_; }
    const FleetNode* find(const std::string& name) const;
    int row_of(const std::string& name) const;
    KnownFacts known_facts() const;

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role = Qt::DisplayRole) const override;

private:
    FleetNode* node(const std::string& name);
    void touched(const std::string& name);
    QString display(const FleetNode& node, int column) const;

    std::vector<FleetNode> nodes_;
};

/// "This computer" for the local node, else its name.
QString node_title(const NodeSpec& spec);
/// "trainer@10.0.0.11:2222", "without SSH".
QString node_address(const NodeSpec& spec);
/// "not probed", "ready", "failed: …".
QString probe_state_text(const FleetNode& node);
/// "2 × NVIDIA H100", "4 CPU slots".
QString devices_text(const FleetNode& node);

}  // namespace rankscope::gui
