// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <remote/desk/runs/reading/run_reading.h>
#include <remote/wire/event.h>

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <thread>
#include <utility>
#include <variant>
#include <vector>

namespace rankscope::inline runs {

/// Reads what the ranks of a run print while it runs, on a thread of its own with low priority: at the end of the run
/// it says what the logs show, and as long as the run hangs it posts that as a live verdict. A window looks at the same
/// reading (ReadingDepth::All). Nothing waits for it: beyond 16 MiB of lines that were not read yet, it leaves lines out.
/// Its memory is bounded.
class LogDiagnosis {
public:
    using Post = std::function<void(Event)>;
    using Done = std::function<void(LogFindings)>;
    using Look = std::function<void(std::shared_ptr<const ReadingSnapshot>)>;

    LogDiagnosis(std::string run_id, Post post, ReadingDepth depth = ReadingDepth::Causes)
        : run_id_(std::move(run_id)), post_(std::move(post)), depth_(depth) {}
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
    /// All events of the store were recalled: what follows are looks, which get the whole.
    void end_recall();
    /// Calls `look` once, on the thread of this object: with what the lines show when all that was observed is read, with the
    /// whole once the run is over, or with what was read when this is closed; never null. It may wait, for snapshots get a
    /// small part of the time. False: it is not called, because this is closed or reads causes only.
    bool look(Look look);
    /// Somebody stops the run: what the ranks print from now on is no cause.
    void ignore_further();
    /// All that was observed → `done`, on the thread of this object, or on the caller's where no rank has printed
    /// anything.
    void conclude(Done done);
    /// Joins the thread. A conclusion that is wanted is delivered first, of what has been read.
    void close();

private:
    struct LeftOut {
        std::uint64_t lines = 0;
        std::uint64_t bytes = 0;
    };
    struct Skipped {
        int rank = -1;
        LeftOut what = {};
    };
    struct Ignore {};
    /// Of progress.
    struct Signs {
        double hang_after_s = 60;
        double last = 0;                    ///< in monotonic_s(); 0: none yet
        double longest_gap_s = 0;           ///< between two of them
        bool stepped = false;               ///< signs are steps; before the first one, any output is
        std::set<std::string> paused = {};  ///< nodes
    };
    struct Looks {
        std::vector<Look> waiting = {};
        double next_s = 0;                                  ///< no snapshot before, in monotonic_s()
        std::shared_ptr<const ReadingSnapshot> shown = {};  ///< of the thread: the last one
    };
    using Item = std::variant<Event, Skipped, Ignore>;

    void take(const Event& event, bool may_wait);
    void take_output(const Event& event, const LogEvent& log, bool may_wait,
                     std::unique_lock<std::mutex>& lock);
    void take_verdict(const Event& event, const Verdict& verdict);
    void begin_attempt(const std::string& node);
    bool reads_all() const { return depth_ == ReadingDepth::All; }
    void start_thread();
    void read(const std::deque<Item>& items);
    void answer_looks(std::unique_lock<std::mutex>& lock);
    void run();
    LogFindings with_nodes(LogFindings found);
    void note_sign(const Event& event);
    bool makes_no_progress() const;
    bool hangs() const { return stalled_ || !measured_.empty() || makes_no_progress(); }
    void post_changes(LogFindings found, std::unique_lock<std::mutex>& lock);
    void post(Verdict verdict, VerdictPhase phase) const;

    const std::string run_id_;
    const Post post_;
    const ReadingDepth depth_;
    std::optional<RunReading> reading_;  ///< of the thread
    std::mutex mutex_;
    std::condition_variable changed_;
    std::condition_variable room_;
    std::deque<Item> items_;
    std::size_t waiting_bytes_ = 0;
    HostNames addresses_;                  ///< of the plan
    std::set<int> shared_;                 ///< LogFindings::shared
    std::map<int, LeftOut> left_out_;      ///< by rank, since there was room
    std::map<std::string, int> attempts_;  ///< of each node
    int attempt_ = 0;
    std::vector<Verdict> measured_;  ///< live verdicts of others, which hold
    bool stalled_ = false;           ///< the run makes no progress, and cannot be looked at
    Signs signs_;
    bool unread_ = false;          ///< lines since the last look
    std::vector<Verdict> posted_;  ///< own live verdicts, which hold
    std::vector<Done> conclusions_;
    Looks looks_;
    bool over_ = false;  ///< the run
    bool ignoring_ = false;
    bool closing_ = false;
    std::thread thread_;
};

}  // namespace rankscope::inline runs
