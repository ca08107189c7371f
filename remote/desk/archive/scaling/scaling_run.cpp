// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <base/clock.h>
#include <remote/desk/archive/scaling/scaling_run.h>
#include <remote/desk/runs/launch/run_launcher.h>
#include <remote/desk/runs/run/run_controller.h>
#include <remote/desk/shared/text.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <utility>

namespace rankscope::inline archive {
namespace {

constexpr const char* kContext = "Scaling";
constexpr auto kLookEvery = std::chrono::milliseconds(250);
constexpr double kForceAfterS = 30;        ///< from the stop to SIGKILL, beyond the grace time of the job
constexpr double kFirstStepWithinS = 600;  ///< from the start of all ranks

/// One size: started, watched until it has been measured for long enough, stopped.
class SizeRun {
public:
    SizeRun(RunRequest request, std::shared_ptr<RunStore> store, const Prompter& prompter)
        : grace_s_(request.job.grace_s),
          controller_(RunController::start(
              std::move(request), std::move(store), prompter, [this](const Event& event) { observe(event); },
              [](const LaunchPlan&) {})) {}

    const std::string& run_id() const { return controller_->run_id(); }
    /// Negative: no step yet.
    double measured_s() const {
        const double since = first_step_s_.load();
        return since < 0 ? -1 : monotonic_s() - since;
    }
    void follow(double seconds, const std::function<void()>& look, const std::stop_token& stop) {
        double started_s = -1;
        look();  // it has its id
        while (!controller_->finished()) {
            pause();
            look();
            const double now = monotonic_s();
            started_s = started_s < 0 && controller_->started() ? now : started_s;
            const bool too_late = started_s >= 0 && measured_s() < 0 && now - started_s > kFirstStepWithinS;
            if (stop.stop_requested() || measured_s() >= seconds || too_late) {
                end(look);
                return;
            }
        }
    }

private:
    void observe(const Event& event) {
        const auto* metric = event.as<MetricEvent>();
        if (metric != nullptr && metric->step >= 0 && first_step_s_.load() < 0) {
            first_step_s_ = monotonic_s();
        }
    }
    void pause() {
        std::unique_lock lock(mutex_);
        changed_.wait_for(lock, kLookEvery);
    }
    void end(const std::function<void()>& look) {
        controller_->stop(StopKind::Graceful);
        const double asked = monotonic_s();
        bool forced = false;
        while (!controller_->finished()) {
            pause();
            look();
            if (!forced && monotonic_s() - asked > grace_s_ + kForceAfterS) {
                controller_->stop(StopKind::Force);
                forced = true;
            }
        }
    }

    const double grace_s_;
    std::atomic<double> first_step_s_{-1};
    std::mutex mutex_;
    std::condition_variable changed_;
    std::unique_ptr<RunController> controller_;  ///< last: its threads end before what they use
};

void label(const std::filesystem::path& store_file, const std::string& run_id, const ScalingResult& result,
           int ranks) {
    RunLabels labels;
    labels.add_tag(result.tag);
    labels.note = text(kContext, "Scaling run, %1 ranks", {std::to_string(ranks)});
    if (const auto store = RunLabelStore::open(store_file)) {
        static_cast<void>((*store)->set(run_id, labels));
    }
}

// What is wrong for all sizes is reported before anything starts.
Result<std::vector<std::pair<int, Job>>> jobs_of(const ScalingRequest& request, const RunStore& store) {
    const auto known = store.facts();
    const auto plan = make_plan(request.inventory, request.job, known ? *known : KnownFacts());
    if (!plan) {
        return plan.failure();
    }
    std::vector<int> sizes = request.ranks.empty() ? scaling_sizes(plan->world_size) : request.ranks;
    std::sort(sizes.begin(), sizes.end());
    sizes.erase(std::unique(sizes.begin(), sizes.end()), sizes.end());
    std::vector<std::pair<int, Job>> jobs;
    for (const int ranks : sizes) {
        auto job = scaled_job(request.job, *plan, ranks, sizes.back(), request.mode);
        if (!job) {
            return job.failure();
        }
        jobs.emplace_back(ranks, std::move(*job));
    }
    return jobs;
}

}  // namespace

Result<ScalingResult> run_scaling(const ScalingRequest& request, const std::shared_ptr<RunStore>& store,
                                  const std::filesystem::path& store_file, const Prompter& prompter,
                                  const std::function<void(const ScalingProgress&)>& progress,
                                  const std::stop_token& stop) {
    if (!launcher_kind(request.job).abilities.pauses) {
        // Its nodes are chosen, and its start decided, by another program.
        return Failure{"bad-field", "launcher",
                       text(kContext, "A scaling run starts the ranks itself; this job is submitted to %1.",
                            {request.job.launcher}),
                       text(kContext, "Choose nodes of the inventory in the job."), ""};
    }
    auto jobs = jobs_of(request, *store);
    if (!jobs) {
        return jobs.failure();
    }
    ScalingResult result;
    result.mode = request.mode;
    result.tag = scaling_tag(request.mode, now_us());
    for (std::size_t i = 0; i < jobs->size() && !stop.stop_requested(); ++i) {
        const int ranks = (*jobs)[i].first;
        RunRequest run{request.inventory, (*jobs)[i].second, {}};
        run.parent = request.parent;
        run.log_limit = request.log_limit;
        SizeRun size(std::move(run), store, prompter);
        const std::string run_id = size.run_id();
        label(store_file, run_id, result, ranks);
        size.follow(
            request.seconds,
            [&] {
                progress({i, jobs->size(), ranks, run_id, size.measured_s(), result});
            },
            stop);
        const auto record = store->run(run_id);
        ScalingPoint point =
            record ? measure_run(*store, *record, request.mode, result.unit) : ScalingPoint();
        point.run_id = run_id;
        point.ranks = ranks;
        if (!record) {
            point.failure = to_line(record.failure());
        }
        result.points.push_back(std::move(point));
        rate_points(result);
    }
    return result;
}

}  // namespace rankscope::inline archive
