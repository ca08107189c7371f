// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <base/result.h>
#include <remote/desk/jobs/config/job.h>
#include <remote/desk/jobs/plan/launch_plan.h>
#include <remote/desk/runs/watch/hang_verdict.h>
#include <remote/desk/runs/watch/nccl_watch.h>
#include <remote/desk/runs/watch/store_path.h>
#include <remote/desk/runs/watch/straggler_rule.h>
#include <remote/desk/runs/watch/watch_state.h>
#include <remote/wire/event.h>
#include <remote/wire/frames.pb.h>

#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <utility>

namespace rankscope::inline runs {

/// Watches a run, on a thread of its own: when it makes no progress, asks the agents what its ranks do, and posts what
/// holds it as a live verdict, and its end as one that is over; while it makes progress, looks now and then for a rank
/// that is slower than the others. It never stops, slows or kills a run, unless the job
/// says so (on_hang: stop).
class Watcher {
public:
    struct Hooks {
        /// RunLauncher::ask.
        std::function<void(const std::string& node, wire::Request request, double timeout_s,
                           std::function<void(Result<wire::Reply>)> on_reply)>
            ask;
        std::function<void(Event)> post;
        /// on_hang: stop. The sentence is the cause.
        std::function<void(const std::string& cause)> stop;
        /// Looks at a network fault more closely, on the watcher's thread, before its verdict is posted. May be null.
        std::function<void(HangFinding&)> confirm;
        /// Seconds that an answer may take beyond that of a connected agent. May be null.
        std::function<double()> answer_delay_s = {};
    };
    Watcher(std::string run_id, Hooks hooks);
    Watcher(const Watcher&) = delete;
    Watcher& operator=(const Watcher&) = delete;
    ~Watcher() { close(); }

    /// Once the job is known: starts the thread. At most once.
    void begin(OnHang on_hang, double hang_after_s, const NcclSources& nccl = {});
    /// Joins the thread, which waits for no node; what is observed afterwards is ignored.
    void close();

    /// Any thread; none of them waits.
    void set_plan(const LaunchPlan& plan);
    void observe(const Event& event);
    /// An event of the store, before the run is taken up again.
    void recall(const Event& event);
    /// After an end by ranks that gave up waiting: who they waited for, as the last look showed it. A live verdict.
    std::optional<Verdict> suspicion();

private:
    struct Answers;
    struct NcclAnswers;

    void run();
    void step(std::unique_lock<std::mutex>& lock);
    void look(std::unique_lock<std::mutex>& lock, bool stacks);
    void look_for_stragglers(std::unique_lock<std::mutex>& lock);
    void ask_nccl(std::unique_lock<std::mutex>& lock);
    std::shared_ptr<Answers> ask_all(const LaunchPlan& plan, wire::InspectRanks request,
                                     double timeout_s) const;
    bool closing();
    void report_unavailable(const Failure& failure);
    void act(HangFinding finding);
    void post_found(HangFinding finding);
    void look_at_store(const std::vector<NodeLook>& looks, std::unique_lock<std::mutex>& lock);
    void post(Verdict verdict);

    const std::string run_id_;
    const Hooks hooks_;
    std::mutex mutex_;
    std::condition_variable changed_;
    bool closing_ = false;
    OnHang on_hang_ = OnHang::Report;
    bool unavailable_ = false;  ///< ranks cannot be asked
    LaunchPlan plan_;
    WatchState state_;
    NcclWatch nccl_;
    const std::shared_ptr<NcclAnswers> nccl_answers_;
    StorePathRule store_path_;
    StragglerRule stragglers_;
    std::vector<Verdict> straggler_verdicts_;  ///< to be posted
    std::shared_ptr<Answers> series_;          ///< a round for stragglers_ that was asked for; null: none
    double series_end_ = 0;                    ///< when it is late, in monotonic_s()
    std::thread thread_;
};

}  // namespace rankscope::inline runs
