// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <base/clock.h>
#include <remote/desk/run/link_listener.h>

namespace rankscope {
namespace {

constexpr int kPingEveryS = 5;
constexpr double kSilentS = 15;

}  // namespace

double listen_to(AgentLink& link, const WakeFd& wake, const LinkListener& listener) {
    const double begin = monotonic_s();
    double heard = begin;
    double pinged = begin;
    std::uint64_t ping_id = 0;  // 0: none under way
    while (listener.go_on() && link.alive()) {
        wake.clear();
        listener.before_wait();
        if (auto unasked = link.next(kPingEveryS * 1000)) {
            heard = monotonic_s();
            listener.unasked(*unasked);
            continue;
        }
        const double now = monotonic_s();
        if (ping_id != 0 && link.take_reply(ping_id)) {
            heard = now;
            ping_id = 0;
        }
        if (now - heard > kSilentS) {
            break;
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

}  // namespace rankscope
