// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <base/clock.h>
#include <base/sha256.h>
#include <remote/desk/config/secret_env.h>
#include <remote/desk/deploy/artifacts.h>
#include <remote/desk/run/event_pump.h>
#include <remote/desk/run/node_task.h>
#include <remote/desk/run/run_controller.h>
#include <remote/desk/run/run_meeting.h>
#include <remote/desk/run/slurm_task.h>
#include <remote/desk/store/run_store.h>
#include <remote/desk/text.h>
#include <remote/diagnosis/failure_catalogue.h>

#include <array>
#include <condition_variable>
#include <ctime>
#include <mutex>

namespace rankscope {
namespace {

constexpr const char* kContext = "RunController";

// Sorts by time, is unique, and reads well in a list: 20261120-194512-3f9a1c.
std::string new_run_id() {
    const std::time_t now = std::time(nullptr);
    std::tm parts{};
    ::localtime_r(&now, &parts);
    std::array<char, 32> stamp{};
    std::strftime(stamp.data(), stamp.size(), "%Y%m%d-%H%M%S-", &parts);
    return stamp.data() + random_token().substr(0, 6);
}

}  // namespace

class RunController::Impl {
public:
    Impl(std::shared_ptr<RunStore> run_store, Prompter prompter, EventSink events, PlanSink plan_sink,
         std::string run_id)
        : store(std::move(run_store)), sink(std::move(events)) {
        context.run_id = std::move(run_id);
        context.prompter = std::move(prompter);
        context.facts = [this](const std::string& node, const NodeFacts& facts) {
            if (store) {
                static_cast<void>(store->save_facts(node, facts, now_us()));
            }
        };
        pump = std::make_unique<EventPump>(
            context.run_id, store,
            EventPump::Hooks{[this](const Event& event) { on_event(event); }, std::move(plan_sink),
                             [this](const std::string& cause, int attempt) { tell_all(cause, attempt); },
                             [this] {
                                 if (!slurm) {  // Slurm has the last word: it knows what no exit tells
                                     pump->finish(user_stop.load() > 0);
                                 }
                             }});
        context.pump = pump.get();
    }
    ~Impl();
    Impl(const Impl&) = delete;
    Impl& operator=(const Impl&) = delete;

    void start(RunRequest request);
    void coordinate();
    void fail(const Failure& failure);
    void on_event(const Event& event);
    void stop_all(int strength, const std::string& cause, bool by_user = false);
    void tell_all(const std::string& cause, int attempt);
    bool stage(const char* name, RunMeeting::Point point);
    void make_slurm_task(const NodeSpec& login, const LaunchPlan& plan);

    std::shared_ptr<RunStore> store;
    EventSink sink;
    RunContext context;
    std::unique_ptr<RunMeeting> meeting;
    std::unique_ptr<EventPump> pump;
    std::vector<std::unique_ptr<NodeTask>> tasks;
    std::unique_ptr<SlurmTask> slurm;  ///< instead of tasks and meeting
    std::mutex tasks_mutex;
    std::thread coordinator;
    std::atomic<int> user_stop{0};

    std::mutex mutex;
    std::condition_variable changed;
    bool started = false;
    bool over = false;
    int exit_code = 0;
};

RunController::Impl::~Impl() {
    if (meeting) {
        meeting->abort(Failure{"cancelled", "", text(kContext, "The program was closed."), "", ""});
    }
    {
        const std::lock_guard lock(tasks_mutex);
        for (auto& task : tasks) {
            task->leave();
        }
    }
    if (coordinator.joinable()) {
        coordinator.join();
    }
    tasks.clear();
    if (slurm) {
        slurm->leave();
        slurm->join();
    }
    pump->close();
}

void RunController::Impl::on_event(const Event& event) {
    if (sink) {
        sink(event);
    }
    const auto* end = event.as<EndEvent>();
    if (end != nullptr && !event.node.empty() && !end->lost_node.empty()) {
        const std::lock_guard lock(tasks_mutex);
        for (auto& task : tasks) {
            if (task->node().name == end->lost_node) {
                task->presume_lost();
            }
        }
    }
    if (end != nullptr && event.node.empty()) {
        const std::lock_guard lock(mutex);
        over = true;
        exit_code = end->exit_code;
        changed.notify_all();
    }
}

void RunController::Impl::stop_all(int strength, const std::string& cause, bool by_user) {
    const std::lock_guard lock(tasks_mutex);
    for (auto& task : tasks) {
        task->request_stop(strength, cause, by_user);
    }
    if (slurm) {
        slurm->request_stop(strength, cause, user_stop.load() > 0);
    }
}

// A rank has failed. Its node knows; for the others this may be the only way to hear of it.
void RunController::Impl::tell_all(const std::string& cause, int attempt) {
    const std::lock_guard lock(tasks_mutex);
    for (auto& task : tasks) {
        task->tell_failure(cause, attempt);
    }
    if (slurm) {
        slurm->request_stop(1, cause, user_stop.load() > 0);
    }
}

void RunController::Impl::make_slurm_task(const NodeSpec& login, const LaunchPlan& plan) {
    const std::lock_guard lock(tasks_mutex);
    SlurmTask::Hooks hooks;
    hooks.submitted = [this] {
        const std::lock_guard guard(mutex);
        started = true;
        changed.notify_all();
    };
    hooks.failed = [this](const Failure& failure) { fail(failure); };
    hooks.ended = [this] { pump->finish(user_stop.load() > 0); };
    slurm = std::make_unique<SlurmTask>(login, context, plan, std::move(hooks));
}

void RunController::Impl::fail(const Failure& failure) {
    EndEvent end;
    end.exit_code = exit_code_of(failure.code);
    end.outcome = end.exit_code == 130 ? Outcome::Stopped : Outcome::Failed;
    end.detail = to_line(failure);
    if (end.exit_code != 130) {
        Event event;
        event.body =
            verdict_of(failure, context.inventory.find(failure.where) != nullptr ? failure.where : "");
        pump->post(std::move(event));
    }
    pump->finish(end);
}

// Emits begin and done of a stage around the meeting of all nodes. false: the run cannot start.
bool RunController::Impl::stage(const char* name, RunMeeting::Point point) {
    pump->post(desk_stage(name, StageStatus::Begin));
    if (meeting->wait_all(point)) {
        pump->post(desk_stage(name, StageStatus::Done));
        return true;
    }
    const Failure failure = *meeting->failure();
    pump->post(desk_stage(name, StageStatus::Failed, to_line(failure)));
    // Where ranks run already, or are being started just now, they are taken down before the end is reported.
    stop_all(1, to_line(failure));
    for (auto& task : tasks) {
        if (task->launching()) {
            task->join();
        }
    }
    fail(failure);
    return false;
}

void RunController::Impl::coordinate() {
    if (!stage("connect", RunMeeting::Point::Connected)) {
        return;
    }
    pump->set_plan(meeting->plan());
    // Not before the supervisors are told of one another may this program be left.
    if (stage("push", RunMeeting::Point::Pushed) && stage("start", RunMeeting::Point::Started) &&
        meeting->wait_all(RunMeeting::Point::Linked)) {
        const std::lock_guard lock(mutex);
        started = true;
        changed.notify_all();
    }
}

void RunController::Impl::start(RunRequest request) {
    context.job = std::move(request.job);
    context.inventory = std::move(request.inventory);
    context.sessions = std::move(request.sessions);
    context.token = random_token();
    auto nodes = resolve_nodes(context.inventory, context.job);
    RunRecord record;
    record.run_id = context.run_id;
    record.name = context.job.name;
    record.job_yaml =
        with_masked_secrets(request.job_yaml.empty() ? to_yaml(context.job) : request.job_yaml, context.job);
    record.started_us = now_us();
    // Known facts make the first plan already the right one; the final one follows when all nodes have
    // answered.
    auto known = store ? store->facts() : Result<KnownFacts>(KnownFacts());
    auto plan = make_plan(context.inventory, context.job, known ? *known : KnownFacts());
    if (plan) {
        record.plan = *plan;
    }
    if (store) {
        if (auto created = store->create_run(record); !created) {
            pump->post(desk_stage("note", StageStatus::Failed, to_line(created.failure())));
        }
    }
    if (plan) {
        pump->set_plan(*plan);
    }
    if (!nodes || !plan) {
        fail(!nodes ? nodes.failure() : plan.failure());
        return;
    }
    if (const auto missing = missing_secret(context.job)) {
        fail(*missing);
        return;
    }
    if (context.job.train) {
        auto bundle = find_worker_bundle();
        if (!bundle) {
            fail(bundle.failure());
            return;
        }
        context.bundle = std::move(*bundle);
    }
    if (context.job.launcher == Launcher::Slurm) {
        make_slurm_task(nodes->front(), *plan);
        slurm->start_run();
        return;
    }
    meeting = std::make_unique<RunMeeting>(context.inventory, context.job, static_cast<int>(nodes->size()));
    context.meeting = meeting.get();
    const std::lock_guard lock(tasks_mutex);
    for (auto& node : *nodes) {
        tasks.push_back(std::make_unique<NodeTask>(std::move(node), context));
    }
    coordinator = std::thread([this] { coordinate(); });
    for (auto& task : tasks) {
        task->start_run();
    }
}

RunController::RunController(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
RunController::~RunController() = default;

std::unique_ptr<RunController> RunController::start(RunRequest request, std::shared_ptr<RunStore> store,
                                                    Prompter prompter, EventSink events, PlanSink plan) {
    auto impl = std::make_unique<Impl>(std::move(store), std::move(prompter), std::move(events),
                                       std::move(plan), new_run_id());
    impl->start(std::move(request));
    return std::unique_ptr<RunController>(new RunController(std::move(impl)));  // NOLINT: private constructor
}

Result<std::unique_ptr<RunController>> RunController::attach(const std::string& run_id, Inventory inventory,
                                                             std::shared_ptr<RunStore> store,
                                                             Prompter prompter, EventSink events,
                                                             PlanSink plan) {
    auto record = store->run(run_id);
    if (!record) {
        return record.failure();
    }
    if (record->outcome != Outcome::Running) {
        return Failure{"run-over", run_id, text(kContext, "This run is over: %1", {record->summary}),
                       text(kContext, "`rankscopectl runs show %1` shows it.", {run_id}), ""};
    }
    auto seqs = store->last_seqs(run_id);
    if (!seqs) {
        return seqs.failure();
    }
    std::vector<Event> past;
    if (auto replayed = store->replay(run_id,
                                      [&](const Event& event) {
                                          past.push_back(event);
                                          return true;
                                      });
        !replayed) {
        return replayed.failure();
    }
    auto impl = std::make_unique<Impl>(store, std::move(prompter), std::move(events), plan, run_id);
    impl->context.inventory = std::move(inventory);
    impl->context.job = parse_job(record->job_yaml, run_id).job;
    impl->pump->restore(record->plan, past);
    impl->pump->set_plan(record->plan);
    RunTracker seen;
    seen.set_plan(record->plan);
    for (const auto& event : past) {
        seen.observe(event);
    }
    impl->started = true;
    if (impl->context.job.launcher == Launcher::Slurm) {
        auto login = resolve_nodes(impl->context.inventory, impl->context.job);
        if (!login) {
            return login.failure();
        }
        impl->make_slurm_task(login->front(), record->plan);
        impl->slurm->attach(past);
        return std::unique_ptr<RunController>(
            new RunController(std::move(impl)));  // NOLINT: private constructor
    }
    const std::lock_guard lock(impl->tasks_mutex);
    for (const auto& node : record->plan.nodes) {
        if (seen.node_ended(node.node)) {
            continue;
        }
        const NodeSpec* spec = impl->context.inventory.find(node.node);
        if (spec == nullptr && node.node != kLocalNodeName) {
            return Failure{
                "unknown-node", run_id,
                text(kContext, "The run's node \"%1\" is no longer in the inventory.", {node.node}),
                text(kContext, "Add it again with `rankscopectl nodes add %1`.", {node.node}), ""};
        }
        impl->tasks.push_back(
            std::make_unique<NodeTask>(spec != nullptr ? *spec : local_node(), impl->context));
        impl->tasks.back()->attach((*seqs)[node.node] + 1);
    }
    if (impl->tasks.empty()) {
        impl->pump->finish(false);  // the desk died between the last end and its own
    }
    return std::unique_ptr<RunController>(new RunController(std::move(impl)));  // NOLINT: private constructor
}

const std::string& RunController::run_id() const {
    return impl_->context.run_id;
}

void RunController::stop(bool force) {
    impl_->user_stop = force ? 2 : 1;
    const std::string cause = text(kContext, "stopped by the user");
    if (impl_->meeting && impl_->meeting->arrived(RunMeeting::Point::Started) < impl_->meeting->nodes()) {
        impl_->meeting->abort(Failure{"cancelled", "", text(kContext, "Stopped by the user."), "", ""});
        const std::lock_guard lock(impl_->tasks_mutex);
        for (auto& task : impl_->tasks) {
            // Nodes that have not started are left; those that have are stopped by the coordinator.
            task->request_stop(force ? 2 : 1, cause);
        }
        return;
    }
    impl_->stop_all(force ? 2 : 1, cause, true);
}

void RunController::pause(bool resume) {
    const std::lock_guard lock(impl_->tasks_mutex);
    for (auto& task : impl_->tasks) {
        task->request_pause(resume);
    }
}

bool RunController::finished() const {
    const std::lock_guard lock(impl_->mutex);
    return impl_->over;
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

}  // namespace rankscope
