// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <remote/desk/runs/run/log_findings.h>
#include <remote/desk/runs/store/run_lines.h>
#include <remote/wire/event.h>

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace rankscope::inline runs {

/// Reads what the ranks of a run print while it runs, on a thread of its own with low priority: at the end of the run
/// it says what the logs show, and as long as the run hangs it posts that as a live verdict. Nothing waits for it:
/// beyond 16 MiB of lines that were not read yet, it leaves lines out. Its memory is bounded.
class LogDiagnosis {
public:
    using Post = std::function<void(Event)>;
    using Done = std::function<void(LogFindings)>;

    LogDiagnosis(std::string run_id, Post post) : run_id_(std::move(run_id)), post_(std::move(post)) {}
    LogDiagnosis(const LogDiagnosis&) = delete;
    LogDiagnosis& operator=(const LogDiagnosis&) = delete;
    ~LogDiagnosis() { close(); }

    /// Before the first event. Without a step for so long, what is sure in the logs is said; 0: after a minute.
    void set_hang_after(double seconds);
    /// Any thread.
    void set_plan(const LaunchPlan& plan);
    /// Any event of the run, in order. Returns at once.
    void observe(const Event& event);
    /// An event of the store, before the run is taken up again: waits for room instead of leaving lines out.
    void recall(const Event& event);
    /// Somebody stops the run: what the ranks print from now on is no cause.
    void ignore_further();
    /// All that was observed → `done`, on the thread of this object, or on the caller's where no rank has printed
    /// anything.
    void conclude(Done done);
    /// Joins the thread. A conclusion that is wanted is delivered first, of what has been read.
    void close();

private:
    struct Item {
        enum class Kind { Output, Skipped, Restart };
        Kind kind = Kind::Output;
        Event event = {};
        int rank = -1;
        std::uint64_t lines = 0;
    };
    class Reader;

    void take(const Event& event, bool may_wait);
    void take_output(const Event& event, const LogEvent& log, bool may_wait,
                     std::unique_lock<std::mutex>& lock);
    void take_verdict(const Verdict& verdict);
    void begin_attempt(const std::string& node);
    void start_thread();
    void run();
    LogFindings with_nodes(LogFindings found);
    void note_sign(const Event& event);
    bool makes_no_progress() const;
    bool hangs() const { return stalled_ || !measured_.empty() || makes_no_progress(); }
    void post_changes(LogFindings found, std::unique_lock<std::mutex>& lock);
    void post(Verdict verdict, VerdictPhase phase) const;

    const std::string run_id_;
    const Post post_;
    std::mutex mutex_;
    std::condition_variable changed_;
    std::condition_variable room_;
    std::deque<Item> items_;
    std::size_t waiting_bytes_ = 0;
    HostNames addresses_;                    ///< of the plan
    std::set<int> shared_;                   ///< LogFindings::shared
    std::map<int, std::uint64_t> left_out_;  ///< lines by rank, since there was room
    std::map<std::string, int> attempts_;    ///< of each node
    int attempt_ = 0;
    std::vector<Verdict> measured_;  ///< live verdicts of others, which hold
    bool stalled_ = false;           ///< the run makes no progress, and cannot be looked at
    double hang_after_s_ = 60;
    double last_sign_ = 0;          ///< of progress, in monotonic_s(); 0: none yet
    double longest_gap_s_ = 0;      ///< between two of them
    bool stepped_ = false;          ///< signs are steps; before the first one, any output is
    std::set<std::string> paused_;  ///< nodes
    bool unread_ = false;           ///< lines since the last look
    std::vector<Verdict> posted_;   ///< own live verdicts, which hold
    std::vector<Done> conclusions_;
    bool ignoring_ = false;
    bool closing_ = false;
    std::thread thread_;
};

}  // namespace rankscope::inline runs
