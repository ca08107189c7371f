// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <remote/desk/runs/store/run_store.h>

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace rankscope::inline archive {

/// A run that was made without Rankscope, on its way into the run store. Unless it is finished, nothing of it stays.
class ForeignRun {
public:
    /// Ranks and the machines that they ran on.
    using Ranks = std::map<int, std::string>;

    /// `name`: for lists; `origin`: what it was read from. Ranks without a machine are "imported"'s.
    static Result<ForeignRun> begin(RunStore& store, const std::string& name, const std::string& origin,
                                    std::int64_t started_us, const Ranks& ranks);
    ~ForeignRun();
    ForeignRun(ForeignRun&& other) noexcept;
    ForeignRun& operator=(ForeignRun&&) = delete;

    /// Of a rank, or of a node (rank −1). Numbers and the nodes of ranks are set here.
    void add(Event event);
    /// The id of the run. Failure: something could not be stored.
    Result<std::string> finish(Outcome outcome, const std::string& summary);

private:
    ForeignRun(RunStore& store, std::string id, Ranks ranks)
        : store_(&store), id_(std::move(id)), ranks_(std::move(ranks)) {}
    void flush();

    RunStore* store_;  ///< null: finished, or moved from
    std::string id_;
    Ranks ranks_;
    std::vector<Event> batch_;
    std::map<std::string, std::uint64_t> seqs_;  ///< by node
    std::int64_t last_us_ = 0;
    Result<void> stored_;
};

}  // namespace rankscope::inline archive
