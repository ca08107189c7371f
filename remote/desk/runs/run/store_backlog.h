// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <remote/desk/runs/store/run_store.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace rankscope::inline runs {

/// Writes the events of a run to the store, in their order, and keeps those that it refuses: a full disk, a locked
/// file. They are tried again after 0.5, 1, 2 … 30 s, in pieces. Beyond the bound the node with the most of them is cut
/// off: nothing of it is stored any more from its first event that waits, so that RunStore::last_seqs() stays below
/// that one and the next attach reads its spool again. One thread.
class StoreBacklog {
public:
    static constexpr std::size_t kMostBytes = std::size_t(32) << 20U;

    enum class When { Due, Now };
    /// What changed in a call.
    struct News {
        std::optional<Failure> failed;  ///< the store begins to refuse
        std::vector<std::string> cut;   ///< nodes that were cut off
        bool recovered = false;         ///< the store has all that waited
    };

    /// `store` null: nothing is stored.
    StoreBacklog(std::string run_id, std::shared_ptr<RunStore> store);

    void set_plan(const LaunchPlan& plan);
    /// Takes `events`, and stores what waits. Due: not before the time of the next attempt, and no longer than a
    /// moment. Now: as long as the store accepts something.
    News store(std::vector<Event>& events, When when = When::Due);

    /// When to call store() again; null: nothing waits.
    std::optional<std::chrono::steady_clock::time_point> next_try() const;
    bool empty() const { return waiting_.empty() && !plan_; }
    std::size_t bytes() const { return bytes_; }
    /// Nodes that are cut off, with their first event that is not stored.
    const std::map<std::string, std::uint64_t>& cut() const { return cut_; }

private:
    struct Waiting {
        Event event;
        std::size_t bytes = 0;
    };
    Result<void> write(When when);
    Result<void> write_piece();
    void keep(Event event);
    void bound(News& news);
    void cut_off(const std::string& node);

    std::string run_id_;
    std::shared_ptr<RunStore> store_;
    std::optional<LaunchPlan> plan_;  ///< that the store has refused
    std::deque<Waiting> waiting_;
    std::size_t bytes_ = 0;
    std::map<std::string, std::size_t> node_bytes_;
    std::map<std::string, std::uint64_t> cut_;
    bool refused_ = false;
    std::chrono::steady_clock::time_point next_try_;
    std::chrono::milliseconds pause_{0};
};

}  // namespace rankscope::inline runs
