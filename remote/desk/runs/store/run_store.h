// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <base/failure.h>
#include <remote/desk/jobs/plan/launch_plan.h>
#include <remote/desk/runs/store/stop_order.h>
#include <remote/wire/event.h>

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace rankscope::inline runs {

struct RunRecord {
    std::string run_id;
    std::string name;
    std::string job_yaml;
    LaunchPlan plan;
    std::int64_t started_us = 0;
    std::int64_t ended_us = 0;  ///< 0: not over, as far as the store knows
    Outcome outcome = Outcome::Running;
    int exit_code = -1;
    std::string summary;  ///< the end in one sentence
    int world_size = 0;
    std::string nodes;        ///< names, comma separated
    std::string parent = {};  ///< id of the run whose job it started from ("Run again"); empty: none
};

/// A run that the user has deleted, and when. It is complete until the trash is emptied.
struct TrashedRun {
    RunRecord record;
    std::int64_t at_us = 0;
};

/// What was computed of a run's events and is kept, so that it is not computed again.
struct KeptSummary {
    std::string run_id;
    std::int64_t last_ord = 0;  ///< of the run's metrics now
    std::int64_t ended_us = 0;  ///< of the run now
    std::string body;           ///< empty: none is kept, or it is out of date
};

/// Which events of a run.
enum class Replay { All, Metrics, Verdicts };

/// SQLite in the user's data folder: runs, their job file, plan, events, metrics, exit. Thread-safe. One
/// file, WAL, so that window and rankscopectl can both have it open.
class RunStore {
public:
    /// ~/.local/share/rankscope/runs.sqlite (XDG_DATA_HOME honoured).
    static std::filesystem::path default_path();
    static Result<std::shared_ptr<RunStore>> open(const std::filesystem::path& path);
    ~RunStore();
    RunStore(const RunStore&) = delete;
    RunStore& operator=(const RunStore&) = delete;

    Result<void> create_run(const RunRecord& record);
    Result<void> set_plan(const std::string& run_id, const LaunchPlan& plan);
    /// One transaction. An event that is there already (same run, node, seq) is left as it is.
    Result<void> append(const std::string& run_id, const std::vector<Event>& events);
    Result<void> finish_run(const std::string& run_id, std::int64_t ended_us, const EndEvent& end);

    /// Newest first, without their plans and without deleted ones.
    Result<std::vector<RunRecord>> runs(int limit = 1'000'000) const;
    /// Changes whenever something in the file may have changed, by any program.
    std::pair<std::int64_t, std::int64_t> change_mark() const;
    Result<RunRecord> run(const std::string& run_id) const;
    /// All events in the order of their arrival. `sink` returns false to end the reading.
    Result<void> replay(const std::string& run_id, const std::function<bool(const Event&)>& sink,
                        Replay what = Replay::All) const;
    /// What NCCL did in a part of the run: its events whose time overlaps with `from_us` to `until_us`, both included.
    Result<void> replay_activity(const std::string& run_id, std::int64_t from_us, std::int64_t until_us,
                                 const std::function<bool(const Event&)>& sink) const;
    /// The last sequence number stored of each node ("" is the desk).
    Result<std::map<std::string, std::uint64_t>> last_seqs(const std::string& run_id) const;
    /// For good, at once.
    Result<void> remove_run(const std::string& run_id);

    /// Hides runs from every program: all of them, or none. They stay complete and can be restored. Those that are
    /// not there are left out.
    Result<void> trash_runs(const std::vector<std::string>& run_ids, std::int64_t at_us);
    /// "no-such-run": it is not in the trash (any more).
    Result<void> restore_run(const std::string& run_id);
    /// Last deleted first, without their plans.
    Result<std::vector<TrashedRun>> trash() const;
    /// Removes deleted runs for good, with their labels, each in one step.
    Result<void> empty_trash(const std::vector<std::string>& run_ids);

    /// Of one run, or of all that are not deleted (`run_id` empty).
    Result<std::vector<KeptSummary>> summaries(const std::string& run_id = {}) const;
    /// Those of many runs in one transaction; last_ord and ended_us as summaries() had them.
    Result<void> keep_summaries(const std::vector<KeptSummary>& summaries);
    /// Keeps what is known of a node now with the run: versions as they were.
    Result<void> keep_facts(const std::string& run_id, const std::string& node);
    /// Adds what a preflight found on a node of the run, whose facts keep_facts() has kept.
    Result<void> keep_versions(const std::string& run_id, const std::string& node,
                               const std::map<std::string, std::string>& versions);
    /// What keep_facts() has kept, by node; empty for runs of earlier versions.
    Result<KnownFacts> facts_of(const std::string& run_id) const;

    /// A stop that a node has not confirmed: kept until stop_delivered(). A second one of the same run and node
    /// replaces the first.
    Result<void> record_stop(const StopOrder& order);
    /// Oldest first; `node` empty: of all nodes.
    Result<std::vector<StopOrder>> pending_stops(const std::string& node = {}) const;
    Result<void> stop_delivered(const std::string& run_id, const std::string& node);

    /// How long a call waits while another program has the file locked; 10 s at first. Any thread, also while
    /// a call waits.
    void set_patience(int milliseconds);

    /// The last facts a probe found, so that plans and the fleet show them before the next probe.
    Result<void> save_facts(const std::string& node, const NodeFacts& facts, std::int64_t at_us);
    Result<KnownFacts> facts() const;

private:
    class Impl;
    Result<void> replay_pages(const std::string& run_id, const std::string& select,
                              const std::function<bool(const Event&)>& sink) const;
    explicit RunStore(std::unique_ptr<Impl> impl);
    std::unique_ptr<Impl> impl_;
};

}  // namespace rankscope::inline runs
