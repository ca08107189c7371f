// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <remote/logs/facts/line_fact.h>
#include <remote/logs/facts/run_facts.h>
#include <remote/logs/grammar/log_line.h>

#include <memory>

namespace rankscope::logs {

/// Lines → facts: one of the consumers of a pass over the logs. The lines of a process must come in its order; those
/// of several may be mixed.
class FactBuilder {
public:
    FactBuilder();
    ~FactBuilder();
    FactBuilder(FactBuilder&&) noexcept;
    FactBuilder& operator=(FactBuilder&&) noexcept;

    /// Returns what the line states.
    LineFact feed(const LogLine& line);
    /// What was found so far. Copies everything.
    RunFacts facts() const;
    /// What was found; the builder is empty afterwards.
    RunFacts take();

private:
    class Work;
    std::unique_ptr<Work> work_;
};

}  // namespace rankscope::logs
