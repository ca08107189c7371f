// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <remote/ctl/attach_run.h>
#include <remote/ctl/follow.h>
#include <remote/ctl/output.h>
#include <remote/ctl/recorded_stops_delivery.h>
#include <remote/ctl/run_view.h>
#include <remote/desk/runs/launch/run_launcher.h>
#include <remote/desk/shared/text.h>

#include <nlohmann/json.hpp>

#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <functional>
#include <future>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>

namespace rankscope::ctl {
namespace {

// The controller reads the stored run on a thread of its own; a command waits for it.
class Attached {
public:
    std::function<void(const RunRecord&)> recorded;
    std::function<void(const Event&)> past;

    AttachHooks hooks(std::uint64_t log_limit = LogShare::kDefaultLimit) {
        AttachHooks hooks;
        hooks.log_limit = log_limit;
        hooks.record = [this](const RunRecord& record) {
            record_ = record;
            if (recorded) {
                recorded(record);
            }
        };
        hooks.past = [this](const Event& event) {
            if (past) {
                past(event);
            }
            return true;
        };
        hooks.ready = [this](const Result<void>& result) { ready_.set_value(result); };
        return hooks;
    }
    Result<void> wait() { return ready_.get_future().get(); }
    /// After wait(): what the store has of the run, if it has it.
    const std::optional<RunRecord>& record() const { return record_; }

private:
    std::optional<RunRecord> record_;
    std::promise<Result<void>> ready_;
};

// Which nodes of a run are paused, by their events.
class PauseWatch {
public:
    void event(const Event& event) {
        const std::lock_guard lock(mutex_);
        if (const auto* stage = event.as<StageEvent>(); stage != nullptr && !event.node.empty()) {
            if (stage->name == StageName::Pause || stage->name == StageName::Continue) {
                paused_[event.node] = stage->name == StageName::Pause;
            }
        } else if (event.as<EndEvent>() != nullptr) {
            ended_.insert(event.node);
        }
        changed_.notify_all();
    }
    /// Waits until all are as wanted; the names of those that are not after `seconds`.
    std::string wait(const LaunchPlan& plan, bool paused, int seconds) {
        std::unique_lock lock(mutex_);
        std::string missing;
        changed_.wait_for(lock, std::chrono::seconds(seconds), [&] {
            missing.clear();
            for (const auto& node : plan.nodes) {
                const auto it = paused_.find(node.node);
                const bool is_paused = it != paused_.end() && it->second;
                if (is_paused != paused && ended_.count(node.node) == 0) {
                    missing += (missing.empty() ? "" : ", ") + node.node;
                }
            }
            return missing.empty() || ended_.count("") > 0;
        });
        return missing;
    }

private:
    std::mutex mutex_;
    std::condition_variable changed_;
    std::map<std::string, bool> paused_;
    std::set<std::string> ended_;
};

struct Watching {
    std::optional<StopKind> stop = {};  ///< asked for at once
    bool past = false;                  ///< shows the stored events as well
    AttachOptions how = {};
};

int watch_run(const GlobalOptions& options, const std::string& run_id, const Watching& watching) {
    const AttachOptions& how = watching.how;
    const auto store = open_store(options);
    const auto inventory = load_inventory(options);
    if (!store || !inventory) {
        return kUsage;
    }
    if (const auto checked = AlertSender::check(how.notify); !checked) {
        report(checked.failure(), options.json);
        return kUsage;
    }
    block_signals();
    deliver_recorded_stops(options, *store, {});
    RunView view({options.json, how.logs});
    const auto known = store->run(run_id);
    AlertSender alerts(how.notify, known ? known->name : run_id);
    alerts.set_run(run_id);
    Attached attached;
    attached.recorded = [&view](const RunRecord& record) { view.plan(record.plan); };
    attached.past = [&](const Event& event) {
        alerts.past(event);
        if (watching.past) {
            view.event(event);
        }
    };
    auto controller = RunController::attach(
        run_id, *inventory, store, terminal_prompter(options),
        [&view, &alerts](const Event& event) {
            view.event(event);
            alerts.event(event);
        },
        [&view](const LaunchPlan& plan) { view.plan(plan); }, attached.hooks(how.log_limit_mb * 1000000));
    if (const auto ready = attached.wait(); !ready) {
        controller.reset();
        if (attached.record() && attached.record()->outcome != Outcome::Running && !watching.stop) {
            view.summary();
            return attached.record()->exit_code;
        }
        report(ready.failure(), options.json);
        return kUsage;
    }
    if (watching.stop) {
        controller->stop(*watching.stop);
    }
    int code = follow(*controller, options.json, watching.stop ? Interrupt::Stops : Interrupt::Leaves);
    controller.reset();
    view.summary();
    if (watching.stop && code == kStopped) {
        code = kDone;  // that is what was asked for
    }
    return code;
}

}  // namespace

// Shows everything from the beginning: what the store has, then what the nodes have, then live.
int attach_run(const GlobalOptions& options, const std::string& run_id, const AttachOptions& how) {
    return watch_run(options, run_id, {.past = true, .how = how});
}

int stop_run(const GlobalOptions& options, const std::string& run_id, StopKind kind) {
    return watch_run(options, run_id, {.stop = kind});
}

int pause_run(const GlobalOptions& options, const std::string& run_id, PauseAction action) {
    constexpr int kAnswerWithin = 30;
    const auto store = open_store(options);
    const auto inventory = load_inventory(options);
    if (!store || !inventory) {
        return kUsage;
    }
    if (const auto record = store->run(run_id)) {
        const Job job = parse_job(record->job_yaml, run_id).job;
        if (!launcher_kind(job).abilities.pauses) {
            report(Failure{"bad-request", run_id,
                           text("RunsCommands", "A run with launcher: %1 cannot be paused.", {job.launcher}),
                           text("RunsCommands",
                                "An administrator can suspend its job; `rankscopectl runs stop %1` ends it.",
                                {run_id}),
                           ""},
                   options.json);
            return kUsage;
        }
    }
    PauseWatch watch;
    Attached attached;
    attached.past = [&](const Event& event) { watch.event(event); };
    auto controller = RunController::attach(
        run_id, *inventory, store, terminal_prompter(options),
        [&](const Event& event) { watch.event(event); }, [](const LaunchPlan&) {}, attached.hooks());
    if (const auto ready = attached.wait(); !ready) {
        report(ready.failure(), options.json);
        return kUsage;
    }
    const bool resume = action == PauseAction::Continue;
    controller->pause(action);
    const std::string missing = watch.wait(attached.record()->plan, !resume, kAnswerWithin);
    controller.reset();
    if (!missing.empty()) {
        report(Failure{"no-answer", missing,
                       text("RunsCommands", "No answer within %1 s.", {std::to_string(kAnswerWithin)}),
                       text("RunsCommands",
                            "`rankscopectl probe` shows whether it can be reached; the others did it."),
                       ""},
               options.json);
        return kUnreachable;
    }
    if (options.json) {
        print_json(nlohmann::ordered_json{{"run", run_id}, {"paused", !resume}});
    } else {
        std::printf("%s\n", (resume ? text("RunsCommands", "%1 continues.", {run_id})
                                    : text("RunsCommands",
                                           "%1 is paused; its memory and GPUs stay taken. Continue with: "
                                           "rankscopectl runs continue %1",
                                           {run_id}))
                                .c_str());
    }
    return kDone;
}

}  // namespace rankscope::ctl
