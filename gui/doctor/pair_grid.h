// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <remote/desk/runs/preflight/preflight.h>

#include <QString>
#include <QStringList>
#include <cstddef>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace rankscope::gui {

enum class PairState { Untested, Fine, Warned, Failed, Self };

/// Node × node: what a preflight found from each node to each other one. A plain value.
class PairGrid {
public:
    PairGrid() = default;
    explicit PairGrid(std::shared_ptr<const PreflightReport> report);

    /// The nodes of the report, then those that took no part.
    std::size_t size() const { return names_.size(); }
    const std::string& name(std::size_t node) const { return names_[node]; }
    /// Index of a node; size(): it is not there.
    std::size_t find(const std::string& name) const;
    /// "eth0, 10.0.0.11"; empty: not known.
    QString address_text(std::size_t node) const;
    /// A check that failed blames this node.
    bool failed(std::size_t node) const { return failed_[node]; }
    /// How many directions from and to this node fail.
    int faults(std::size_t node) const { return faults_[node]; }
    PairState state(std::size_t from, std::size_t to) const { return states_[from * size() + to]; }
    /// What was tried from one node to the other, and what came back: one line each, the faults first.
    QStringList lines(std::size_t from, std::size_t to) const;
    /// "node1 → node2: blocked".
    QString title(std::size_t from, std::size_t to) const;

private:
    void take_names();
    void take_paths();
    void take_checks();
    void raise(std::size_t from, std::size_t to, PairState state);

    std::shared_ptr<const PreflightReport> report_;
    std::vector<std::string> names_;
    std::vector<bool> failed_;
    std::vector<int> faults_;
    std::vector<PairState> states_;
    std::map<std::pair<std::size_t, std::size_t>, std::vector<const PathResult*>> paths_;
};

QString pair_state_text(PairState state);

}  // namespace rankscope::gui
