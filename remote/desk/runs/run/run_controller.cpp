// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <base/clock.h>
#include <base/sha256.h>
#include <remote/desk/jobs/config/secret_env.h>
#include <remote/desk/runs/launch/ask_launcher.h>
#include <remote/desk/runs/run/ending_rule.h>
#include <remote/desk/runs/run/event_pump.h>
#include <remote/desk/runs/run/kept_facts.h>
#include <remote/desk/runs/run/log_diagnosis.h>
#include <remote/desk/runs/run/path_probe.h>
#include <remote/desk/runs/run/recorded_stops.h>
#include <remote/desk/runs/run/run_controller.h>
#include <remote/desk/runs/run/run_id.h>
#include <remote/desk/runs/store/run_store.h>
#include <remote/desk/runs/watch/watcher.h>
#include <remote/desk/shared/text.h>
#include <remote/diagnosis/failure_catalogue.h>

#include <condition_variable>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

namespace rankscope::inline runs {
namespace {

constexpr const char* kContext = "RunController";
constexpr auto kLookEvery = std::chrono::milliseconds(100);

}  // namespace

class RunController::Impl {
public:
    Impl(std::shared_ptr<RunStore> run_store, Prompter prompter, EventSink events, PlanSink plan_sink,
         std::string run_id, std::uint64_t log_limit, bool can_look);
    ~Impl();
    Impl(const Impl&) = delete;
    Impl& operator=(const Impl&) = delete;

    void start(RunRequest request);
    void attach(const AttachHooks& hooks);
    void stop(StopKind kind);
    void pause(PauseAction action);

    std::shared_ptr<RunStore> store;
    LaunchContext context;
    std::thread coordinator;

    mutable std::mutex mutex;  ///< what follows, down to the exit code
    std::condition_variable changed;
    bool started = false;
    bool over = false;
    bool closing = false;
    bool unexplained = false;  ///< the run has ended, and why is looked for
    int exit_code = 0;
    std::optional<LogDiagnosis> logs;

private:
    Result<LaunchPlan> prepare(RunRequest& request);
    Result<void> recall(const AttachHooks& hooks);
    void publish(std::unique_ptr<RunLauncher> ready);
    void watch();
    void explain_end();
    void look();
    void on_event(const Event& event);
    void fail(const Failure& failure);
    void refuse(const std::vector<Check>& checks);
    void end_as(EndEvent end);
    void finish(std::optional<EndEvent> forced);
    void give_up(const std::vector<NodeStatus>& nodes);
    void ask(const std::string& node, wire::Request request, double timeout_s, RunLauncher::OnReply on_reply);
    void stop_hung(const std::string& cause);
    template <typename Use>
    void with_launcher(Use use);

    EventSink sink;
    std::unique_ptr<EventPump> pump;
    std::optional<KeptFacts> kept_facts;
    std::optional<Watcher> watcher;
    std::optional<PathProbe> probe;
    std::optional<RecordedStops> recorded;
    std::mutex launcher_mutex;  ///< the launcher, and what waits for it
    std::unique_ptr<RunLauncher> launcher;
    std::optional<StopOrder> stop_order;
    std::unique_ptr<RunLauncher> starting;  ///< the coordinator's, until it is published
    std::mutex ending_mutex;
    std::optional<EndingRule> rule;
    std::vector<std::string> unconfirmed;
    std::string unconfirmed_text;
};

RunController::Impl::Impl(std::shared_ptr<RunStore> run_store, Prompter prompter, EventSink events,
                          PlanSink plan_sink, std::string run_id, std::uint64_t log_limit, bool can_look)
    : store(std::move(run_store)), sink(std::move(events)) {
    context.run_id = std::move(run_id);
    context.prompter = std::move(prompter);
    const AskAgent ask_agent = [this](const std::string& node, wire::Request request, double timeout_s,
                                      RunLauncher::OnReply on_reply) {
        ask(node, std::move(request), timeout_s, std::move(on_reply));
    };
    probe.emplace(context, ask_agent, [this] { kept_facts->inspected(); });
    watcher.emplace(context.run_id,
                    Watcher::Hooks{ask_agent, [this](Event event) { pump->post(std::move(event)); },
                                   [this](const std::string& cause) { stop_hung(cause); },
                                   [this](HangFinding& finding) { probe->confirm(finding); },
                                   [this] { return launcher_kind(context.job).abilities.look_delay_s; }});
    logs.emplace(
        context.run_id, [this](Event event) { pump->post(std::move(event)); },
        can_look ? ReadingDepth::All : ReadingDepth::Causes);
    EventPump::Hooks hooks;
    hooks.events = [this](const Event& event) { on_event(event); };
    hooks.plan = [this, sink_plan = std::move(plan_sink)](const LaunchPlan& plan) {
        watcher->set_plan(plan);
        probe->set_plan(plan);
        logs->set_plan(plan);
        if (sink_plan) {
            sink_plan(plan);
        }
    };
    // A rank has failed. Its node knows; for the others this may be the only way to hear of it.
    hooks.failed = [this](const std::string& cause, int attempt) {
        with_launcher([&](RunLauncher& active) { active.report_failure(cause, attempt); });
    };
    hooks.all_ended = [this] {
        if (launcher_kind(context.job).abilities.reports_end) {
            return;
        }
        if (!probe->is_unexplained()) {
            return finish(std::nullopt);
        }
        const std::lock_guard lock(mutex);  // its cause is looked for first, not on this thread
        unexplained = true;
    };
    hooks.logs = [this](LogDiagnosis::Done done) { logs->conclude(std::move(done)); };
    pump = std::make_unique<EventPump>(context.run_id, store, std::move(hooks), log_limit);
    kept_facts.emplace(context.run_id, store, *pump);
    context.reports.post = [this](std::vector<Event> posted) { pump->post(std::move(posted)); };
    context.reports.plan = [this](const LaunchPlan& plan) { pump->set_plan(plan); };
    context.reports.started = [this] {
        kept_facts->inspected();
        const std::lock_guard lock(mutex);
        started = true;
        changed.notify_all();
    };
    context.reports.failed = [this](const Failure& failure) { fail(failure); };
    context.reports.faulty = [this](const std::vector<Check>& checks) { refuse(checks); };
    context.reports.ended = [this] { finish(std::nullopt); };
    context.reports.versions = [this](const std::string& node,
                                      const std::map<std::string, std::string>& versions) {
        kept_facts->found(node, versions);
    };
    context.reports.reached = [this](const NodeSpec& node, const NodeFacts& facts, AgentLink& link) {
        probe->reached(node.name, facts);
        kept_facts->reached(node.name, facts);
        for (const auto& order : recorded ? recorded->deliver(node.name, link) : std::vector<StopOrder>()) {
            context.stage(StageName::Note, StageStatus::Done, describe_delivery(order));
            kept_facts->delivered(order);
        }
    };
}

RunController::Impl::~Impl() {
    {
        const std::lock_guard lock(mutex);
        closing = true;
    }
    changed.notify_all();
    probe->close();
    with_launcher([](RunLauncher& active) { active.leave(); });
    if (coordinator.joinable()) {
        coordinator.join();
    }
    watcher->close();
    std::unique_ptr<RunLauncher> last;
    {
        const std::lock_guard lock(launcher_mutex);
        last = std::move(launcher);
    }
    last.reset();  // joins its threads, which may still report to the pump
    logs->close();
    pump->close();
}

template <typename Use>
void RunController::Impl::with_launcher(Use use) {
    const std::lock_guard lock(launcher_mutex);
    if (launcher) {
        use(*launcher);
    }
}

void RunController::Impl::ask(const std::string& node, wire::Request request, double timeout_s,
                              RunLauncher::OnReply on_reply) {
    ask_launcher(launcher_mutex, launcher, node, std::move(request), timeout_s, std::move(on_reply));
}

// The job wants a run that hangs to end (on_hang: stop).
void RunController::Impl::stop_hung(const std::string& cause) {
    context.stage(StageName::Stop, StageStatus::Begin, cause);
    const std::lock_guard lock(launcher_mutex);
    if (stop_order || !launcher) {
        return;
    }
    stop_order.emplace();
    stop_order->run_id = context.run_id;
    stop_order->cause = cause;
    logs->ignore_further();
    {
        const std::lock_guard ending_lock(ending_mutex);
        if (rule) {
            rule->stop_asked(monotonic_s(), StopKind::Graceful);
        }
    }
    launcher->stop(*stop_order);
}

void RunController::Impl::on_event(const Event& event) {
    watcher->observe(event);
    probe->observe(event);
    logs->observe(event);
    if (sink) {
        sink(event);
    }
    const auto* end = event.as<EndEvent>();
    if (end == nullptr) {
        return;
    }
    if (!event.node.empty()) {
        {
            const std::lock_guard lock(ending_mutex);
            if (rule) {
                rule->node_ended(monotonic_s(), end->outcome != Outcome::Done);
            }
        }
        if (!end->lost_node.empty()) {
            with_launcher([&](RunLauncher& active) { active.presume_lost(end->lost_node); });
        }
        return;
    }
    const std::lock_guard lock(mutex);
    over = true;
    exit_code = end->exit_code;
    changed.notify_all();
}

void RunController::Impl::fail(const Failure& failure) {
    EndEvent end;
    end.exit_code = exit_code_of(failure.code);
    end.outcome = end.exit_code == 130 ? Outcome::Stopped : Outcome::Failed;
    end.detail = to_line(failure);
    if (end.exit_code != 130) {
        context.post(Event{
            0, 0, "", -1,
            verdict_of(failure, context.inventory.find(failure.where) != nullptr ? failure.where : "")});
    }
    end_as(std::move(end));
}

// A verdict for each failing check, the first one's also as the reason of the end.
void RunController::Impl::refuse(const std::vector<Check>& checks) {
    kept_facts->inspected();
    EndEvent end;
    end.outcome = Outcome::Failed;
    for (const auto& check : checks) {
        if (check.status != CheckStatus::Fail) {
            continue;
        }
        if (end.detail.empty()) {
            end.exit_code = exit_code_of(check.id);
            end.detail = to_line(failure_of(check));
        }
        context.post(Event{0, 0, "", -1, verdict_of(check)});
    }
    end_as(std::move(end));
}

void RunController::Impl::end_as(EndEvent end) {
    // The launcher itself waits for the nodes it had started already; these are left.
    std::vector<NodeStatus> left;
    with_launcher([&](RunLauncher& active) {
        for (auto& node : active.nodes()) {
            if (!node.ended) {
                left.push_back(std::move(node));
            }
        }
    });
    give_up(left);
    finish(std::move(end));
}

void RunController::Impl::finish(std::optional<EndEvent> forced) {
    EventPump::Ending ending;
    ending.forced = std::move(forced);
    {
        const std::lock_guard lock(launcher_mutex);
        ending.by_user = stop_order && stop_order->by_user;
    }
    const std::lock_guard lock(ending_mutex);
    ending.unconfirmed = unconfirmed;
    ending.detail = unconfirmed_text;
    pump->finish(std::move(ending));
}

// Records a stop for each, and says what is not known.
void RunController::Impl::give_up(const std::vector<NodeStatus>& nodes) {
    StopOrder order;
    {
        const std::lock_guard lock(launcher_mutex);
        order = stop_order.value_or(StopOrder());
    }
    order.run_id = context.run_id;
    order.launcher = launcher_kind(context.job).name;
    order.asked_us = now_us();
    if (order.cause.empty()) {
        order.cause = text(kContext, "the run had failed");
    }
    for (const auto& node : nodes) {
        order.node = node.node;
        if (store) {
            pump->run_later([this, order] { static_cast<void>(store->record_stop(order)); });
        }
        const std::lock_guard lock(ending_mutex);
        unconfirmed.push_back(node.node);
        unconfirmed_text +=
            (unconfirmed_text.empty() ? "" : " ") + describe_unconfirmed(node, now_us(), store != nullptr);
    }
}

void RunController::Impl::look() {
    std::vector<NodeStatus> lost;
    {
        const std::lock_guard lock(launcher_mutex);
        const std::lock_guard ending_lock(ending_mutex);
        if (!launcher || !rule) {
            return;
        }
        lost = rule->lost(launcher->nodes(), monotonic_s());
    }
    if (lost.empty()) {
        return;
    }
    give_up(lost);
    // Without the lock: it posts, and may wait for the pump. Only this thread sets the launcher.
    for (const auto& node : lost) {
        launcher->conclude_lost(node.node, describe_silence(node, now_us()));
    }
}

void RunController::Impl::watch() {
    std::unique_lock lock(mutex);
    while (!over && !closing) {
        changed.wait_for(lock, kLookEvery);
        const auto next = std::exchange(unexplained, false) ? &Impl::explain_end : &Impl::look;
        lock.unlock();
        (this->*next)();
        lock.lock();
    }
}

// The ranks have lost one another: where the last look at them or the network shows why, the end takes that as its cause.
void RunController::Impl::explain_end() {
    auto cause = watcher->suspicion();
    if (cause || (cause = probe->find_cause())) {
        context.post(Event{0, 0, "", -1, std::move(*cause)});
    }
    finish(std::nullopt);
}

// From here on stop() and the like reach the launcher; what was asked before reaches it now.
void RunController::Impl::publish(std::unique_ptr<RunLauncher> ready) {
    const std::lock_guard lock(launcher_mutex);
    launcher = std::move(ready);
    {
        const std::lock_guard ending_lock(ending_mutex);
        rule.emplace(EndingRule::Limits{context.job.peer_timeout_s, context.job.grace_s,
                                        launcher->stop_allowance_s()});
        if (stop_order) {
            rule->stop_asked(monotonic_s(), stop_order->kind);
        }
    }
    const std::lock_guard state_lock(mutex);
    if (closing) {
        launcher->leave();
    } else if (stop_order) {
        launcher->stop(*stop_order);
    }
}

Result<LaunchPlan> RunController::Impl::prepare(RunRequest& request) {
    context.job = std::move(request.job);
    context.inventory = std::move(request.inventory);
    context.sessions = std::move(request.sessions);
    context.token = random_token();
    // Known facts make the first plan already the right one; the final one follows all nodes' answers.
    auto known = store ? store->facts() : Result<KnownFacts>(KnownFacts());
    auto plan = make_plan(context.inventory, context.job, known ? *known : KnownFacts());
    RunRecord record;
    record.run_id = context.run_id;
    record.name = context.job.name;
    record.job_yaml =
        with_masked_secrets(request.job_yaml.empty() ? to_yaml(context.job) : request.job_yaml, context.job);
    record.started_us = now_us();
    record.parent = request.parent;
    if (plan) {
        plan->code = code_version(context.job);
        record.plan = *plan;
    }
    if (store) {
        if (auto created = store->create_run(record); !created) {
            context.stage(StageName::Note, StageStatus::Failed, to_line(created.failure()));
        }
        recorded.emplace(*store);
    }
    if (!plan) {
        return plan;
    }
    pump->set_plan(*plan);
    watcher->begin(context.job.on_hang, context.job.hang_after_s, nccl_sources_of(context.job));
    logs->set_hang_after(context.job.hang_after_s);
    if (auto missing = missing_secret(context.job)) {
        return std::move(*missing);
    }
    if (auto found = context.find_parts(*plan); !found) {
        return found.failure();
    }
    return plan;
}

void RunController::Impl::start(RunRequest request) {
    const auto plan = prepare(request);
    bool stopped = false;
    {
        const std::lock_guard lock(launcher_mutex);
        stopped = stop_order.has_value();
    }
    if (!plan || stopped) {
        fail(stopped ? Failure{"cancelled", "", text(kContext, "Stopped by the user."), "", ""}
                     : plan.failure());
        return;
    }
    auto made = launcher_kind(context.job).make(context, *plan);
    made->start();
    publish(std::move(made));
    watch();
}

Result<void> RunController::Impl::recall(const AttachHooks& hooks) {
    auto record = store->run(context.run_id);
    if (!record) {
        return record.failure();
    }
    hooks.record(*record);
    const bool over_already = record->outcome != Outcome::Running;
    context.job = parse_job(record->job_yaml, context.run_id).job;
    // What the others post meanwhile, as the log rules do, comes after all that the store has.
    const EventPump::Restoring restoring(*pump);
    restoring.plan(record->plan);
    watcher->set_plan(record->plan);
    probe->set_plan(record->plan);
    logs->set_plan(record->plan);
    auto made = launcher_kind(context.job).make(context, record->plan);
    bool cancelled_by_caller = false;
    auto replayed = store->replay(context.run_id, [&](const Event& event) {
        if (!over_already) {
            restoring.event(event);
            watcher->recall(event);
            logs->recall(event);
            made->recall(event);
        }
        cancelled_by_caller = !hooks.past(event);
        const std::lock_guard lock(mutex);
        return !cancelled_by_caller && !closing;
    });
    if (!replayed) {
        return replayed;
    }
    if (over_already) {
        return Failure{"run-over", context.run_id, text(kContext, "This run is over: %1", {record->summary}),
                       text(kContext, "`rankscopectl runs show %1` shows it.", {context.run_id}), ""};
    }
    if (cancelled_by_caller) {
        return Failure{"cancelled", context.run_id, text(kContext, "Cancelled."), "", ""};
    }
    recorded.emplace(*store);
    watcher->begin(context.job.on_hang, context.job.hang_after_s, nccl_sources_of(context.job));
    logs->set_hang_after(context.job.hang_after_s);
    context.reports.started();
    starting = std::move(made);
    return {};
}

void RunController::Impl::attach(const AttachHooks& hooks) {
    auto recalled = recall(hooks);
    if (recalled) {
        recalled = starting->attach();
    }
    if (recalled) {
        publish(
            std::move(starting));  // before "ready": a pause that is asked for then must reach the launcher
        hooks.ready(recalled);
        watch();
        return;
    }
    hooks.ready(recalled);
    const std::lock_guard lock(mutex);
    over = true;
    exit_code = 2;
    changed.notify_all();
}

void RunController::Impl::stop(StopKind kind) {
    const std::lock_guard lock(launcher_mutex);
    if (!stop_order) {
        stop_order.emplace();
        stop_order->run_id = context.run_id;
        stop_order->by_user = true;
        stop_order->cause = text(kContext, "stopped by the user");
    }
    stop_order->kind = kind == StopKind::Force ? kind : stop_order->kind;
    logs->ignore_further();
    {
        const std::lock_guard ending_lock(ending_mutex);
        if (rule) {
            rule->stop_asked(monotonic_s(), kind);
        }
    }
    if (launcher) {
        launcher->stop(*stop_order);
    }
}

void RunController::Impl::pause(PauseAction action) {
    with_launcher([action](RunLauncher& active) { active.pause(action); });
}

RunController::RunController(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
RunController::~RunController() = default;

std::unique_ptr<RunController> RunController::start(RunRequest request, std::shared_ptr<RunStore> store,
                                                    Prompter prompter, EventSink events, PlanSink plan) {
    auto impl = std::make_unique<Impl>(std::move(store), std::move(prompter), std::move(events),
                                       std::move(plan), new_run_id(), request.log_limit, request.can_look);
    impl->coordinator = std::thread(
        [raw = impl.get(), asked = std::move(request)]() mutable { raw->start(std::move(asked)); });
    return std::unique_ptr<RunController>(new RunController(std::move(impl)));  // NOLINT: private constructor
}

std::unique_ptr<RunController> RunController::attach(const std::string& run_id, Inventory inventory,
                                                     std::shared_ptr<RunStore> store, Prompter prompter,
                                                     EventSink events, PlanSink plan, AttachHooks hooks) {
    auto impl = std::make_unique<Impl>(std::move(store), std::move(prompter), std::move(events),
                                       std::move(plan), run_id, hooks.log_limit, hooks.can_look);
    impl->context.inventory = std::move(inventory);
    impl->coordinator = std::thread([raw = impl.get(), heard = std::move(hooks)] { raw->attach(heard); });
    return std::unique_ptr<RunController>(new RunController(std::move(impl)));  // NOLINT: private constructor
}

const std::string& RunController::run_id() const {
    return impl_->context.run_id;
}

void RunController::stop(StopKind kind) {
    impl_->stop(kind);
}

void RunController::pause(PauseAction action) {
    impl_->pause(action);
}

bool RunController::look(std::function<void(std::shared_ptr<const ReadingSnapshot>)> look) {
    return impl_->logs->look(std::move(look));
}

bool RunController::finished() const {
    const std::lock_guard lock(impl_->mutex);
    return impl_->over;
}

bool RunController::started() const {
    const std::lock_guard lock(impl_->mutex);
    return impl_->started;
}

int RunController::wait() {
    std::unique_lock lock(impl_->mutex);
    impl_->changed.wait(lock, [this] { return impl_->over; });
    return impl_->exit_code;
}

bool RunController::wait_started() {
    std::unique_lock lock(impl_->mutex);
    impl_->changed.wait(lock, [this] { return impl_->over || impl_->started; });
    return impl_->started && !impl_->over;
}

}  // namespace rankscope::inline runs
