// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <base/failure.h>
#include <remote/desk/runs/preflight/node_view.h>
#include <remote/diagnosis/check.h>

#include <string>
#include <vector>

namespace rankscope::inline runs {

/// The checks of nodes as they are found: one for each id and status, with all nodes that it concerns.
class HostFindings {
public:
    Check& add(FailureId id, CheckStatus status, const NodeView& view, const std::string& detail) {
        return add(id, status, view.name, detail);
    }
    Check& add(FailureId id, CheckStatus status, const std::string& node, const std::string& detail);
    /// Unless something was found.
    void pass(FailureId id, const std::string& detail);
    std::vector<Check> take();

private:
    std::vector<Check> checks_;
};

/// What the agent of a node reports, for users.
Failure explain(const NodeView& view, const wire::Failure& failure);

}  // namespace rankscope::inline runs
