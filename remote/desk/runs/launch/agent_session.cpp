// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <base/clock.h>
#include <base/wait_fd.h>
#include <remote/desk/nodes/session/agent_failures.h>
#include <remote/desk/nodes/session/bundle_push.h>
#include <remote/desk/nodes/session/tree_push.h>
#include <remote/desk/runs/launch/agent_session.h>
#include <remote/desk/runs/launch/link_listener.h>
#include <remote/desk/runs/preflight/container_spec.h>
#include <remote/desk/shared/text.h>

#include <algorithm>
#include <utility>

namespace rankscope::inline runs {
namespace {

constexpr const char* kContext = "AgentSession";
constexpr double kLongPull = 2;  // a look at the images of a node takes less
constexpr double kHurryS = 2;    // between two attempts at a node that the others have lost

std::string milliseconds_since(double begin) {
    return std::to_string(static_cast<int>((monotonic_s() - begin) * 1000));
}

}  // namespace

AgentSession::AgentSession(NodeSpec node, LaunchContext& context)
    : node_(std::move(node)), context_(context), requests_(node_.name), seen_s_(monotonic_s()) {}

AgentLink::Progress AgentSession::progress(StageName stage) {
    return [this, stage, last = std::string(), at = 0.0](const std::string& what, double share) mutable {
        // Ten a second are enough for any eye.
        const double now = monotonic_s();
        if (what == last && now - at < 0.1 && share < 1) {
            return;
        }
        last = what;
        at = now;
        std::string detail = node_.name + ": " + what;
        if (share >= 0) {
            detail += ' ' + std::to_string(static_cast<int>(share * 100)) + " %";
        }
        context_.stage(stage, StageStatus::Progress, detail, share);
    };
}

void AgentSession::note(const std::string& detail) {
    context_.stage(StageName::Note, StageStatus::Progress, node_.name + ": " + detail);
}

void AgentSession::seen() {
    seen_s_ = monotonic_s();
    seen_us_ = now_us();
    linked_ = true;
    if (reported_ == LinkState::Silent) {
        report(LinkState::Linked);
    }
}

void AgentSession::report(LinkState state, double retry_in_s) {
    reported_ = state;
    linked_ = state == LinkState::Linked;
    LinkEvent link;
    link.node = node_.name;
    link.state = state;
    link.last_seen_us = seen_us_;
    link.retry_at_us = retry_in_s > 0 ? now_us() + static_cast<std::int64_t>(retry_in_s * 1e6) : 0;
    link.failure_id = failure_.code;
    link.failure = failure_.what;
    link.remedy = failure_.remedy;
    Event event;
    event.body = std::move(link);
    context_.post(std::move(event));
}

void AgentSession::take_connection(NodeConnection connection) {
    connection_ = std::move(connection);
    failure_ = {};
    requests_.open();
    seen();
    if (context_.reports.reached) {
        context_.reports.reached(node_, connection_.facts, *connection_.link);
    }
}

Result<void> AgentSession::connect(bool attaching) {
    wake_.clear();
    auto connection = connect_node(node_, context_.prompter, wake_, stop_.get_token(),
                                   progress(StageName::Connect), context_.sessions.get());
    if (!connection) {
        failure_ = connection.failure();
        if (attaching) {
            report(LinkState::Retrying);
        }
        return failure_;
    }
    take_connection(std::move(*connection));
    return {};
}

Result<void> AgentSession::push(bool with_bundle) {
    if (with_bundle) {
        if (auto pushed = push_bundle_files(); !pushed) {
            return pushed;
        }
    }
    return context_.job.push.empty() ? Result<void>() : push_own_files();
}

Result<void> AgentSession::push_bundle_files() {
    const double begin = monotonic_s();
    auto bundle = context_.bundle_for(facts().machine);
    if (!bundle && !context_.job.train) {
        note(to_line(bundle.failure()));  // NCCL is not observed there
        return {};
    }
    if (!bundle) {
        return bundle.failure();
    }
    const auto pushed = push_bundle(*connection_.link, **bundle, progress(StageName::Push));
    if (!pushed) {
        return pushed.failure();
    }
    bundle_ = std::move(*bundle);
    if (*pushed > 0) {
        note(text(kContext, "pushed %1 MB in %2 ms",
                  {std::to_string((*pushed + 500000) / 1000000), milliseconds_since(begin)}));
    }
    return {};
}

Result<void> AgentSession::push_own_files() {
    const double begin = monotonic_s();
    const auto& tree = context_.files(stop_.get_token(), progress(StageName::Push));
    const auto pushed = tree ? push_tree(*connection_.link, *tree, context_.job.workdir, context_.job.name,
                                         progress(StageName::Push))
                             : Result<TreePushed>(tree.failure());
    if (!pushed) {
        return pushed.failure();
    }
    pushed_folder_ = pushed->folder;
    if (pushed->files > 0 || pushed->removed > 0) {
        const std::string kilobytes = std::to_string((pushed->bytes + 500) / 1000);
        const std::string took = milliseconds_since(begin);
        const std::string removed = std::to_string(pushed->removed);
        note(pushed->files == 1
                 ? text(kContext, "pushed 1 file, %1 kB, to %2 in %3 ms; removed %4 of an earlier push",
                        {kilobytes, pushed->folder, took, removed})
                 : text(kContext, "pushed %1 files, %2 kB, to %3 in %4 ms; removed %5 of an earlier push",
                        {std::to_string(pushed->files), kilobytes, pushed->folder, took, removed}));
    }
    return {};
}

Result<void> AgentSession::pull_image(const std::function<bool()>& abandoned) {
    const double begin = monotonic_s();
    wire::Request request;
    *request.mutable_inspect_container()->mutable_container() = container_spec(context_.job);
    request.mutable_inspect_container()->set_pull(true);
    const auto report_progress = progress(StageName::Push);
    const auto reply = call_long(std::move(request), abandoned, [&] {
        if (monotonic_s() - begin > kLongPull) {
            report_progress(text(kContext, "getting the image %1", {context_.job.container.image}), -1);
        }
    });
    if (!reply) {
        return reply.failure();
    }
    const auto& state = reply->container();
    if (state.has_failure()) {
        return explain_agent_failure(node_, state.failure());
    }
    if (monotonic_s() - begin > kLongPull) {
        note(text(kContext, "has the image %1 after %2 s",
                  {context_.job.container.image, std::to_string(static_cast<int>(monotonic_s() - begin))}));
    }
    return {};
}

Result<wire::Reply> AgentSession::call_long(wire::Request request, const std::function<bool()>& abandoned,
                                            const std::function<void()>& look) {
    const auto id = link().send(std::move(request));
    std::optional<Result<wire::Reply>> reply;
    serve_until([&] {
        look();
        reply = reply ? std::move(reply) : link().poll(id);
        return reply.has_value() || abandoned();
    });
    if (reply) {
        return std::move(*reply);
    }
    if (!link().alive()) {
        return link().lost();
    }
    link().ignore(id);
    return Failure{"cancelled", "", text(kContext, "Stopped by the user."), "", ""};
}

void AgentSession::follow(const Following& following) {
    const auto wanted = [&] { return following.wanted() && !leaving(); };
    while (wanted()) {
        if (connected() && link().alive() && following.resume()) {
            const auto before_wait = [&] {
                following.before_wait();
                requests_.serve(link());
            };
            backoff_.reached(listen_to(link(), wake_,
                                       {wanted, before_wait, following.unasked, [this] { seen(); },
                                        [this] { report(LinkState::Silent); }}));
        }
        requests_.close(connected() ? link().lost() : failure_);
        if (wanted() && !reconnect()) {
            return;
        }
    }
}

bool AgentSession::serve_until(const std::function<bool()>& done) {
    constexpr int kLookEveryMs = 200;
    while (!done()) {
        wake_.clear();
        if (leaving() || !link().alive()) {
            return false;
        }
        requests_.serve(link());
        if (!done()) {
            static_cast<void>(link().next(kLookEveryMs));
        }
    }
    return true;
}

void AgentSession::ask(wire::Request request, double timeout_s, RunLauncher::OnReply on_reply) {
    requests_.add(std::move(request), timeout_s, std::move(on_reply));
    wake();
}

// Training continues on the node meanwhile; the spool keeps what is missed here.
bool AgentSession::reconnect() {
    while (!leaving()) {
        const double wait_s = hurry_ ? std::min(backoff_.next(), kHurryS) : backoff_.next();
        report(LinkState::Retrying, wait_s);
        wait_before_retry(wait_s);
        if (leaving()) {
            return false;
        }
        auto connection = connect_node(node_, context_.prompter, wake_, stop_.get_token(), {});
        if (connection) {
            take_connection(std::move(*connection));
            report(LinkState::Linked);
            return true;
        }
        failure_ = connection.failure();
    }
    return false;
}

// A request does not wait for the next attempt.
void AgentSession::wait_before_retry(double wait_s) {
    const unsigned woken = woken_;
    const double begin = monotonic_s();
    while (!leaving() && woken_ == woken) {
        if (!wait_readable(wake_.fd(), begin + (hurry_ ? std::min(wait_s, kHurryS) : wait_s))) {
            return;
        }
        wake_.clear();
    }
}

void AgentSession::wake() {
    ++woken_;
    wake_.wake();
}

void AgentSession::hurry() {
    hurry_ = true;
    wake_.wake();
}

void AgentSession::leave() {
    stop_.request_stop();
    wake_.wake();
}

NodeStatus AgentSession::status() const {
    return {node_.name, false, linked_, seen_s_, seen_us_};
}

}  // namespace rankscope::inline runs
