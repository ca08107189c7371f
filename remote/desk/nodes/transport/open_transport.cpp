// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <base/clock.h>
#include <base/wait_fd.h>
#include <base/wake_fd.h>
#include <remote/desk/nodes/transport/admission.h>
#include <remote/desk/nodes/transport/kept_answers.h>
#include <remote/desk/nodes/transport/local_transport.h>
#include <remote/desk/nodes/transport/openssh_transport.h>
#include <remote/desk/nodes/transport/ssh_failures.h>
#include <remote/desk/nodes/transport/ssh_transport.h>
#include <remote/desk/nodes/transport/transport.h>
#include <remote/desk/nodes/transport/transport_choice.h>
#include <remote/desk/shared/text.h>

#include <sodium/randombytes.h>

namespace rankscope::inline nodes {
namespace {

constexpr const char* kContext = "Transport";
constexpr int kAttempts = 5;
constexpr double kFirstPause = 0.2;  // seconds; doubled every time

/// A busy server (MaxStartups) drops a connection before its greeting. Nothing was tried on that connection,
/// so it is repeated; a refused key or password never is.
bool dropped_before_greeting(const Failure& failure) {
    if (failure.code != "ssh-protocol") {
        return false;
    }
    for (const char* sign : {"disconnected", "reset by peer", "Connection closed", "closed by remote host",
                             "MaxStartups", "Broken pipe"}) {
        if (failure.detail.find(sign) != std::string::npos) {
            return true;
        }
    }
    return false;
}

// Half to one and a half times the pause: many nodes must not come back at the same moment.
void pause(double seconds, const std::stop_token& stop) {
    const WakeFd wake;
    const std::stop_callback on_stop(stop, [&wake] { wake.wake(); });
    wait_readable(wake.fd(), monotonic_s() + seconds * (500 + randombytes_uniform(1000)) / 1000);
}

Result<std::unique_ptr<Transport>> open_once(const NodeSpec& node, const SshTarget& target,
                                             const TransportChoice& choice, const Prompter& prompter,
                                             const std::stop_token& stop,
                                             const std::function<void(const std::string&)>& progress) {
    if (choice.implementation == SshImplementation::OpenSsh) {
        return open_openssh_transport(node, target, choice.why, prompter, stop);
    }
    auto transport = open_ssh_transport(target, prompter, stop, progress);
    // Only ssh itself speaks GSSAPI with the user's ticket.
    if (!transport && transport.failure().code == "ssh-auth-denied" && node.transport != "libssh" &&
        target.is_on("gssapiauthentication") && has_kerberos_ticket() &&
        transport.failure().what.find("gssapi") != std::string::npos) {
        return open_openssh_transport(node, target, "GSSAPI", prompter, stop);
    }
    return transport;
}

}  // namespace

Result<std::unique_ptr<Transport>> open_transport(const NodeSpec& node, const Prompter& prompter,
                                                  std::stop_token stop,
                                                  const std::function<void(const std::string&)>& progress) {
    if (node.local) {
        return open_local_transport();
    }
    const auto target = resolve_ssh_target(node, stop);
    if (!target) {
        return target.failure();
    }
    const TransportChoice choice = choose_transport(node, *target);
    std::optional<Admission> admission;
    KeptAnswers answers(prompter, [&admission] { admission->release(); });
    for (int attempt = 1;;) {
        admission = Admission::enter(target->proxy_jump.empty() ? target->host : target->proxy_jump, stop);
        if (!admission) {
            return cancelled(node.name);
        }
        if (progress) {
            progress(text(kContext, "connecting to %1", {target->account()}));
        }
        auto transport = open_once(node, *target, choice, answers.prompter(), stop, progress);
        if (!transport && transport.failure().code == kAnswerLate && answers.user_asked()) {
            answers.begin_again();
            continue;
        }
        if (transport || attempt == kAttempts || !dropped_before_greeting(transport.failure())) {
            return transport;
        }
        ++attempt;
        admission->release();
        if (progress) {
            progress(text(kContext, "%1 is busy; trying again", {target->host}));
        }
        pause(kFirstPause * (1 << (attempt - 2)), stop);
    }
}

Failure cancelled(const std::string& where) {
    return {"cancelled", where, text("Transport", "Cancelled."), "", ""};
}

}  // namespace rankscope::inline nodes
