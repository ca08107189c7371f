// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <base/clock.h>
#include <base/number_text.h>
#include <remote/desk/nodes/session/agent_failures.h>
#include <remote/desk/nodes/session/tree_push.h>
#include <remote/desk/runs/launch/node_environment.h>
#include <remote/desk/runs/preflight/environment_view.h>
#include <remote/desk/shared/text.h>

#include <chrono>
#include <optional>
#include <stop_token>
#include <thread>
#include <utility>

namespace rankscope::inline runs {
namespace {

constexpr const char* kContext = "NodeEnvironment";
constexpr double kLookEvery = 1;
constexpr std::chrono::milliseconds kLookForStop{100};

class EnvironmentDialogue {
public:
    EnvironmentDialogue(AgentSession& session, LaunchContext& context, const std::function<bool()>& abandoned)
        : session_(session),
          context_(context),
          abandoned_(abandoned),
          progress_(session.progress(StageName::Connect)) {}

    Result<std::string> run() {
        const auto& requirements = context_.environment->requirements(session_.stop_token());
        if (!requirements) {
            return requirements.failure();
        }
        request_ = environment_request(context_.job, *requirements);
        auto state = look();
        if (state && state->folder().empty() && !state->has_failure()) {
            state = make(*requirements, *state);
        }
        if (!state) {
            return state.failure();
        }
        if (state->has_failure()) {
            return explain_agent_failure(session_.node(), state->failure());
        }
        if (state->made()) {
            session_.note(
                text(kContext, "made the environment of %1 in %2 s: %3",
                     {requirements->name, fixed_text(monotonic_s() - begin_, 1), environment_text(*state)}));
        }
        return state->folder();
    }

private:
    using State = Result<wire::EnvironmentState>;

    State ask(bool look_only) {
        wire::Request request;
        *request.mutable_make_environment() = request_;
        request.mutable_make_environment()->set_look(look_only);
        auto reply =
            session_.call_long(std::move(request), abandoned_, [this, look_only] { follow(look_only); });
        return reply ? State(std::move(*reply->mutable_environment())) : State(reply.failure());
    }

    State look() { return ask(true); }

    // What the tool on the node says meanwhile.
    void follow(bool look_only) {
        if (look_only || monotonic_s() - looked_ < kLookEvery) {
            return;
        }
        looked_ = monotonic_s();
        auto& link = session_.link();
        if (const auto reply = look_id_ ? link.poll(*look_id_) : std::nullopt) {
            said_ = *reply ? (*reply)->environment().progress() : std::string();
            look_id_.reset();
        }
        if (!look_id_) {
            wire::Request request;
            *request.mutable_make_environment() = request_;
            request.mutable_make_environment()->set_look(true);
            look_id_ = link.send(std::move(request));
        }
        progress_(text(kContext, "making the environment of %1", {request_.packages_of()}) +
                      (said_.empty() ? "" : ": " + said_),
                  -1);
    }

    State make(const PythonRequirements& requirements, const wire::EnvironmentState& seen) {
        for (const auto& line : requirements.unpinned) {
            session_.note(text(kContext, "%1 does not pin a version: %2", {requirements.name, line}));
        }
        if (!seen.has_uv()) {
            if (const auto uv = context_.environment->uv_for(seen.machine())) {
                if (auto pushed = push_packages(session_.link(), *uv, progress_); !pushed) {
                    return pushed.failure();
                }
            }
        }
        auto state = ask(false);
        if (!state || !state->has_failure() || !state->index_unreachable()) {
            return state;
        }
        std::stop_source stop;
        const std::jthread watch([&](const std::stop_token& done) { stop_where_abandoned(done, stop); });
        const auto& wheels = context_.environment->wheels(
            {seen.python(), seen.machine(), seen.glibc_minor()}, stop.get_token(),
            [this](const std::string& line) {
                progress_(text(kContext, "getting wheels on this computer: %1", {line}), -1);
            });
        if (!wheels) {
            wire::Failure failure;
            failure.set_code("no-index");
            failure.set_detail(wheels.failure().detail);
            return wheels.failure().code == "no-index" ? explain_agent_failure(session_.node(), failure)
                                                       : wheels.failure();
        }
        const auto pushed = push_packages(session_.link(), *wheels, progress_);
        if (!pushed) {
            return pushed.failure();
        }
        session_.note(text(kContext, "reaches no package index; pushed %1 of %2 wheels, %3 kB",
                           {std::to_string(pushed->files), std::to_string(wheels->files.size()),
                            std::to_string((pushed->bytes + 500) / 1000)}));
        request_.set_pushed_packages(true);
        return ask(false);
    }

    // A download takes minutes, in which nothing else of this thread looks.
    void stop_where_abandoned(const std::stop_token& done, std::stop_source& stop) const {
        while (!done.stop_requested()) {
            if (abandoned_() || session_.leaving()) {
                stop.request_stop();
                return;
            }
            std::this_thread::sleep_for(kLookForStop);
        }
    }

    AgentSession& session_;
    LaunchContext& context_;
    const std::function<bool()>& abandoned_;
    AgentLink::Progress progress_;
    wire::MakeEnvironment request_;
    const double begin_ = monotonic_s();
    double looked_ = monotonic_s();
    std::optional<std::uint64_t> look_id_;
    std::string said_;
};

}  // namespace

Result<std::string> make_node_environment(AgentSession& session, LaunchContext& context,
                                          const std::function<bool()>& abandoned) {
    return context.environment ? EnvironmentDialogue(session, context, abandoned).run()
                               : Result<std::string>(std::string());
}

}  // namespace rankscope::inline runs
