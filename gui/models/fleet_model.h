// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <base/failure.h>
#include <gui/data/device_slots.h>
#include <remote/desk/jobs/plan/launch_plan.h>
#include <remote/desk/nodes/inventory/inventory.h>
#include <remote/desk/nodes/session/node_facts.h>

#include <QAbstractTableModel>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace rankscope::gui {

enum class ProbeState { NotProbed, Connecting, Ready, Failed };

struct FleetNode {
    NodeSpec spec;
    ProbeState state = ProbeState::NotProbed;
    std::string progress;                      ///< while connecting
    std::optional<NodeFacts> facts;            ///< of this probe, or of the last one ever
    bool facts_are_old = false;                ///< from the store: not of this session
    Failure failure;                           ///< when Failed
    std::optional<NodeLink> run_link;          ///< a live run uses the node and does not reach it now
    std::vector<RankOnDevice> ranks;           ///< of the live run
    std::map<std::string, double> run_sample;  ///< its newest figures; empty: no run is live there
    std::int64_t run_sample_us = 0;
    std::vector<float>
        course;  ///< of the use of its devices, 0…1, oldest first: the newest figures without a gap
    std::int64_t course_us = 0;

    static constexpr std::size_t kCourse = 60;

    /// The use of its devices by the newest figures, if they are newer than the course.
    void note_use();
    /// The newest figures: those of the live run, else of the probe in this session.
    const std::map<std::string, double>& sample() const;
    /// When they were taken, µs since 1970; 0: there are none.
    std::int64_t sample_us() const;
    std::vector<DeviceSlot> devices() const;
};

/// The nodes. "This computer" is always the first row.
class FleetModel : public QAbstractTableModel {
    Q_OBJECT

public:
    enum Column {
        Name,
        Group,
        Address,
        State,
        Slots,
        Use,
        Devices,
        Cpus,
        Memory,
        Os,
        RoundTrip,
        Clock,
        NUM_COLUMNS
    };
    /// SlotsRole: std::vector<DeviceSlot>. AgedRole: the cell's figures are older than they should be. AgeRole: how old the
    /// figures are, or why there are none, as a sentence. CourseRole: QList<float>, FleetNode::course.
    enum Role { ProbeStateRole = Qt::UserRole, SlotsRole, AgedRole, AgeRole, CourseRole };

    explicit FleetModel(QObject* parent = nullptr);

    /// Facts of a node stay when its name and the way to connect to it are the same.
    void set_nodes(const std::vector<NodeSpec>& nodes);
    void set_old_facts(const KnownFacts& facts);
    void set_connecting(const std::string& name, const std::string& progress);
    void set_ready(const std::string& name, const NodeFacts& facts);
    void set_failed(const std::string& name, const Failure& failure);
    /// The probe was cancelled: the state before it returns.
    void set_cancelled(const std::string& name);
    /// Once a second: the desk's clock, for ages, and what the live run knows of its nodes (empty: no run is live).
    void refresh(std::int64_t now_us, const std::map<std::string, RunOnNode>& run = {});
    std::int64_t now_us() const { return now_us_; }

    const std::vector<FleetNode>& nodes() const { return nodes_; }
    const FleetNode* find(const std::string& name) const;
    int row_of(const std::string& name) const;
    KnownFacts known_facts() const;
    /// How many nodes each group has.
    std::map<std::string, int> groups() const;

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role = Qt::DisplayRole) const override;

private:
    FleetNode* node(const std::string& name);
    void touched(const std::string& name);
    QString display(const FleetNode& node, int column) const;

    std::vector<FleetNode> nodes_;
    std::int64_t now_us_ = 0;  ///< 0: ages are not shown
};

/// "This computer" for the local node, else its name.
QString node_title(const NodeSpec& spec);
/// "trainer@10.0.0.11:2222", "without SSH".
QString node_address(const NodeSpec& spec);
/// "not probed", "ready, 3 min ago", "failed: …", "the run gets no answer for 12 s".
QString probe_state_text(const FleetNode& node, std::int64_t now_us = 0);
/// "3 min ago", "2 days ago"; empty below a minute or when it is not known.
QString age_text(std::int64_t then_us, std::int64_t now_us);
/// "2 × H100 PCIe", "4 CPU slots".
QString devices_text(const FleetNode& node);

}  // namespace rankscope::gui

Q_DECLARE_METATYPE(std::vector<rankscope::gui::DeviceSlot>)
