// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <base/clock.h>
#include <remote/desk/runs/launch/link_listener.h>

namespace rankscope::inline runs {
namespace {

constexpr int kPingEveryS = 5;
constexpr int kLookEveryMs = 1000;
constexpr double kSilentS = 7;
constexpr double kDeadS = 15;

}  // namespace

double listen_to(AgentLink& link, const WakeFd& wake, const LinkListener& listener) {
    const double begin = monotonic_s();
    double heard = begin;
    double pinged = begin;
    bool silent = false;
    std::uint64_t ping_id = 0;  // 0: none was sent, or it was answered
    const auto alive = [&](double now) {
        heard = now;
        silent = false;
        listener.heard();
    };
    while (listener.wanted() && link.alive()) {
        wake.clear();
        listener.before_wait();
        if (auto unasked = link.next(kLookEveryMs)) {
            alive(monotonic_s());
            listener.unasked(*unasked);
            continue;
        }
        const double now = monotonic_s();
        if (ping_id != 0 && link.take_reply(ping_id)) {
            alive(now);
            ping_id = 0;
        }
        if (now - heard > kDeadS) {
            break;
        }
        if (now - heard > kSilentS && !silent) {
            silent = true;
            listener.silent();
        }
        if (now - pinged >= kPingEveryS && ping_id == 0) {
            wire::Request ping;
            ping.mutable_ping();
            ping_id = link.send(std::move(ping));
            pinged = now;
        }
    }
    return monotonic_s() - begin;
}

}  // namespace rankscope::inline runs
