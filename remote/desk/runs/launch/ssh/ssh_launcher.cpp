// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <base/clock.h>
#include <remote/desk/nodes/session/notices.h>
#include <remote/desk/nodes/session/version_names.h>
#include <remote/desk/runs/launch/connected_nodes.h>
#include <remote/desk/runs/launch/node_stop_request.h>
#include <remote/desk/runs/launch/ssh/node_task.h>
#include <remote/desk/runs/launch/ssh/run_meeting.h>
#include <remote/desk/runs/launch/ssh/ssh_launcher.h>
#include <remote/desk/runs/preflight/preflight.h>
#include <remote/desk/runs/store/run_reports.h>
#include <remote/desk/shared/text.h>

#include <algorithm>
#include <array>
#include <condition_variable>
#include <map>
#include <set>
#include <stop_token>
#include <thread>
#include <vector>

namespace rankscope::inline runs {
namespace {

constexpr const char* kContext = "SshLauncher";
constexpr double kConfirmS = 3;  // for signals, exits and events to arrive

std::string summary(const PreflightReport& report) {
    std::array<std::size_t, EnumNames<CheckStatus>::names.size()> counts{};
    for (const auto& check : report.checks) {
        ++counts[static_cast<std::size_t>(check.status)];
    }
    const auto count = [&](CheckStatus status) {
        return std::to_string(counts[static_cast<std::size_t>(status)]);
    };
    return text(kContext, "%1 passed, %2 warnings, %3 not checked, in %4 ms",
                {count(CheckStatus::Pass), count(CheckStatus::Warn), count(CheckStatus::Skip),
                 std::to_string(static_cast<int>(report.seconds * 1000))});
}

// Nothing fails, or a rule is known for all that does.
bool is_certain(const std::vector<Check>& checks) {
    return std::all_of(checks.begin(), checks.end(), [](const Check& check) {
        const auto opens = [](const Fix& fix) { return !fix.command.empty(); };
        return check.status != CheckStatus::Fail ||
               (!check.pairs.empty() && std::any_of(check.fixes.begin(), check.fixes.end(), opens));
    });
}

class SshLauncher : public RunLauncher {
public:
    SshLauncher(LaunchContext& context, LaunchPlan plan) : context_(context), plan_(std::move(plan)) {}
    ~SshLauncher() override;
    SshLauncher(const SshLauncher&) = delete;
    SshLauncher& operator=(const SshLauncher&) = delete;

    void start() override;
    Result<void> attach() override;
    void recall(const Event& event) override;
    void stop(const StopOrder& order) override;
    void pause(PauseAction action) override;
    void report_failure(const std::string& cause, int attempt) override;
    void presume_lost(const std::string& node) override;
    void conclude_lost(const std::string& node, const std::string& detail) override;
    void ask(const std::string& node, wire::Request request, double timeout_s, OnReply on_reply) override;
    void leave() override;
    std::vector<NodeStatus> nodes() const override;
    double stop_allowance_s() const override;

private:
    void coordinate();
    bool stage(StageName name, RunMeeting::Point point);
    bool check();
    PreflightRequest preflight_request();
    Result<PreflightReport> inspect_nodes();
    void stop_tasks(StageName name, const Failure& failure);
    void wake_tasks();
    void wait_for_ends();

    LaunchContext& context_;
    LaunchPlan plan_;
    std::unique_ptr<RunMeeting> meeting_;  ///< null: attached
    // Set by start() or attach() before any other call, then constant.
    std::vector<std::unique_ptr<NodeTask>> tasks_;
    std::map<std::string, std::uint64_t> last_seqs_;
    std::set<std::string> ended_;  ///< as recalled
    std::atomic<bool> leaving_{false};
    std::stop_source stop_;  ///< of the preflight
    std::thread coordinator_;
};

SshLauncher::~SshLauncher() {
    leave();
    if (coordinator_.joinable()) {
        coordinator_.join();
    }
}

void SshLauncher::start() {
    const auto nodes = resolve_nodes(context_.inventory, context_.job);
    if (!nodes) {
        return context_.reports.failed(nodes.failure());
    }
    meeting_ =
        std::make_unique<RunMeeting>(context_.inventory, context_.job, static_cast<int>(nodes->size()));
    for (const auto& node : *nodes) {
        tasks_.push_back(std::make_unique<NodeTask>(node, context_, meeting_.get()));
    }
    coordinator_ = std::thread([this] { coordinate(); });
    for (auto& task : tasks_) {
        task->start_run();
    }
}

void SshLauncher::recall(const Event& event) {
    if (!event.node.empty()) {
        auto& last = last_seqs_[event.node];
        last = std::max(last, event.seq);
        if (event.as<EndEvent>() != nullptr) {
            ended_.insert(event.node);
        }
    }
}

Result<void> SshLauncher::attach() {
    for (const auto& node : plan_.nodes) {
        if (ended_.count(node.node) > 0) {
            continue;
        }
        const NodeSpec* spec = context_.inventory.find(node.node);
        if (spec == nullptr && node.node != kLocalNodeName) {
            return Failure{
                "unknown-node", context_.run_id,
                text(kContext, "The run's node \"%1\" is no longer in the inventory.", {node.node}),
                text(kContext, "Add it again with `rankscopectl nodes add %1`.", {node.node}), ""};
        }
        tasks_.push_back(
            std::make_unique<NodeTask>(spec != nullptr ? *spec : local_node(), context_, nullptr));
    }
    for (auto& task : tasks_) {
        task->attach(last_seqs_[task->node().name] + 1);
    }
    if (tasks_.empty()) {
        context_.reports.ended();  // the desk died between the last end and its own
    }
    return {};
}

// Emits begin and done of a stage around the meeting of all nodes. false: the run cannot start.
bool SshLauncher::stage(StageName name, RunMeeting::Point point) {
    context_.stage(name, StageStatus::Begin);
    if (meeting_->wait_all(point)) {
        context_.stage(name, StageStatus::Done);
        return true;
    }
    const Failure failure = *meeting_->failure();
    stop_tasks(name, failure);
    context_.reports.failed(failure);
    return false;
}

void SshLauncher::stop_tasks(StageName name, const Failure& failure) {
    context_.stage(name, StageStatus::Failed, to_line(failure));
    // Where ranks run already, or are being started just now, they are stopped before the end is reported.
    StopOrder order;
    order.run_id = context_.run_id;
    order.cause = to_line(failure);
    for (auto& task : tasks_) {
        task->request_stop(order);
    }
    wait_for_ends();
}

// Asks the agents over the links that the run has: it needs no connection of its own.
PreflightRequest SshLauncher::preflight_request() {
    PreflightRequest request;
    request.inventory = context_.inventory;
    request.job = context_.job;
    request.depth =
        context_.job.preflight == StartPreflight::Always ? PreflightDepth::Full : PreflightDepth::Quick;
    request.plan = meeting_->plan();
    std::vector<NodeSpec> nodes;
    for (const auto& task : tasks_) {
        nodes.push_back(task->node());
    }
    const AskAgent ask_agent = [this](const std::string& node, wire::Request asked, double timeout_s,
                                      OnReply on_reply) {
        ask(node, std::move(asked), timeout_s, std::move(on_reply));
    };
    request.connected = connected_nodes(nodes, meeting_->facts(), ask_agent, stop_.get_token());
    request.progress = [this](const std::string& what) {
        context_.stage(StageName::Preflight, StageStatus::Progress, what);
    };
    return request;
}

Result<PreflightReport> SshLauncher::inspect_nodes() {
    PreflightRequest request = preflight_request();
    // What is absent here is not reported as missing there.
    if (!context_.job.push.empty()) {
        const auto& files = context_.files(
            stop_.get_token(), [&](const std::string& what, double /*share*/) { request.progress(what); });
        if (!files) {
            return files.failure();
        }
    }
    auto report = run_preflight(request, stop_.get_token());
    if (report && !is_certain(report->checks) && request.depth == PreflightDepth::Quick) {
        // A node that is busy may have missed the short deadlines.
        request.depth = PreflightDepth::Full;
        report = run_preflight(request, stop_.get_token());
    }
    if (report) {
        remember_report(context_.run_id, {*report, request.depth, now_us()});
    }
    return report;
}

// What is in the way of the run ends it here, where the cause is known, and not as a time-out of its ranks.
bool SshLauncher::check() {
    if (context_.job.preflight == StartPreflight::Off) {
        meeting_->pass(RunMeeting::Point::Checked);
        wake_tasks();
        return true;
    }
    context_.stage(StageName::Preflight, StageStatus::Begin);
    const auto report = inspect_nodes();
    if (report && context_.reports.versions) {
        for (const auto& view : report->views) {
            context_.reports.versions(view.name, library_versions(view.host));
        }
    }
    if (!report || any_failed(report->checks)) {
        meeting_->abort(report ? failure_of(report->checks.front()) : report.failure());
    } else {
        if (!report->addresses.empty()) {
            meeting_->use_addresses(report->addresses);
        }
        meeting_->pass(RunMeeting::Point::Checked);
    }
    wake_tasks();
    if (const auto failure = meeting_->failure()) {
        stop_tasks(StageName::Preflight, *failure);
        if (report && any_failed(report->checks) && failure->code != "cancelled") {
            context_.reports.faulty(report->checks);
        } else {
            context_.reports.failed(*failure);
        }
        return false;
    }
    for (const auto& found : report->checks) {
        if (found.status == CheckStatus::Warn && found.id != "clock-skew") {  // each connection reports that
            Event event;
            event.body = notice_of(found);
            context_.post(std::move(event));
        }
    }
    context_.stage(StageName::Preflight, StageStatus::Done, summary(*report));
    return true;
}

void SshLauncher::wake_tasks() {
    for (auto& task : tasks_) {
        task->wake();
    }
}

// Of the nodes that were started already. One that does not answer is not waited for: its stop is recorded.
void SshLauncher::wait_for_ends() {
    const double deadline = monotonic_s() + stop_allowance_s();
    const auto waiting = [this] {
        return std::any_of(tasks_.begin(), tasks_.end(),
                           [](const auto& task) { return !task->status().ended; });
    };
    while (!leaving_ && waiting() && monotonic_s() < deadline) {
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
    }
}

void SshLauncher::coordinate() {
    if (!stage(StageName::Connect, RunMeeting::Point::Connected)) {
        return;
    }
    if (!check()) {
        return;
    }
    context_.reports.plan(meeting_->plan());
    // Not before the supervisors know of one another may this program be left.
    if (stage(StageName::Push, RunMeeting::Point::Pushed) &&
        stage(StageName::Start, RunMeeting::Point::Started) &&
        meeting_->wait_all(RunMeeting::Point::Linked)) {
        context_.reports.started();
    }
}

void SshLauncher::stop(const StopOrder& order) {
    if (meeting_ && order.by_user && meeting_->arrived(RunMeeting::Point::Started) < meeting_->nodes()) {
        // Nodes that have not started are left; those that have are stopped.
        meeting_->abort(Failure{"cancelled", "", text(kContext, "Stopped by the user."), "", ""});
        stop_.request_stop();
        wake_tasks();
    }
    for (auto& task : tasks_) {
        task->request_stop(order);
    }
}

void SshLauncher::pause(PauseAction action) {
    for (auto& task : tasks_) {
        task->request_pause(action);
    }
}

void SshLauncher::report_failure(const std::string& cause, int attempt) {
    for (auto& task : tasks_) {
        task->report_failure(cause, attempt);
    }
}

void SshLauncher::presume_lost(const std::string& node) {
    for (auto& task : tasks_) {
        if (task->node().name == node) {
            task->hurry();
        }
    }
}

void SshLauncher::conclude_lost(const std::string& node, const std::string& detail) {
    for (auto& task : tasks_) {
        if (task->node().name == node) {
            task->conclude_lost(detail);
        }
    }
}

void SshLauncher::ask(const std::string& node, wire::Request request, double timeout_s, OnReply on_reply) {
    const auto task = std::find_if(tasks_.begin(), tasks_.end(),
                                   [&](const auto& entry) { return entry->node().name == node; });
    if (task != tasks_.end()) {
        return (*task)->ask(std::move(request), timeout_s, std::move(on_reply));
    }
    on_reply(Failure{"look-unavailable", node, text(kContext, "The node takes no part in this run any more."),
                     "", ""});
}

void SshLauncher::leave() {
    leaving_ = true;
    if (meeting_) {
        meeting_->abort(Failure{"cancelled", "", text(kContext, "The program was closed."), "", ""});
    }
    stop_.request_stop();
    for (auto& task : tasks_) {
        task->leave();
    }
}

std::vector<NodeStatus> SshLauncher::nodes() const {
    std::vector<NodeStatus> nodes;
    for (const auto& task : tasks_) {
        nodes.push_back(task->status());
    }
    return nodes;
}

double SshLauncher::stop_allowance_s() const {
    const Job& job = context_.job;
    return job.grace_s + (checkpoint_signal_number(job) != 0 ? job.checkpoint_wait_s : 0) + kConfirmS;
}

}  // namespace

LauncherKind ssh_launcher() {
    LauncherKind kind;
    kind.name = "ssh";
    kind.plan = make_node_plan;
    kind.abilities.pauses = true;
    kind.make = [](LaunchContext& context, const LaunchPlan& plan) -> std::unique_ptr<RunLauncher> {
        return std::make_unique<SshLauncher>(context, plan);
    };
    kind.stop_request = node_stop_request;
    return kind;
}

}  // namespace rankscope::inline runs
