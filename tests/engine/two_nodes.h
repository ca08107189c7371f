// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <string>

namespace rankscope::engine::test {

/// Two network namespaces with a cable between them: what two nodes look like to a rank. Needs root.
class TwoNodes {
public:
    TwoNodes();
    ~TwoNodes();
    TwoNodes(const TwoNodes&) = delete;
    TwoNodes& operator=(const TwoNodes&) = delete;

    /// Why they could not be made; empty: they were.
    const std::string& problem() const { return problem_; }
    std::string name(int node) const { return prefix_ + (node == 0 ? "a" : "b"); }
    static std::string address(int node) { return node == 0 ? "10.231.77.1" : "10.231.77.2"; }
    /// From now on no packet passes between them, and neither is notified.
    bool cut();

private:
    std::string prefix_;
    std::string problem_;
};

}  // namespace rankscope::engine::test
