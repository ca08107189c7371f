// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <base/clock.h>
#include <base/wait_fd.h>
#include <remote/agent/probes/connect_attempt.h>
#include <remote/agent/probes/connect_probe.h>
#include <remote/agent/probes/path_measure.h>

#include <net/if.h>
#include <sys/resource.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <limits>
#include <list>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace rankscope::agent {
namespace {

constexpr int kMostTargets = 4096;
constexpr std::size_t kMostAttempts = 5;
constexpr std::size_t kMostSockets = 1024;
constexpr double kLongest = 60;
constexpr double kStopCheck = 0.1;
constexpr double kShortest = 0.1;
constexpr double kShortestStagger = 0.15;
constexpr double kLongestStagger = 0.35;
constexpr double kIcmpInterval = 1.1;  // Linux: icmp_ratelimit, 1 s, and a margin
constexpr double kLookAgain = 0.5;

// Half of the descriptors that this process may have, at most: the rest is for its other work.
std::size_t socket_limit() {
    rlimit limit{};
    if (::getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) {
        return kMostSockets;
    }
    return std::clamp<std::size_t>(limit.rlim_cur / 2, 8, kMostSockets);
}

/// One target: its attempts, then the measurement on the first that succeeds.
class TargetProbe {
public:
    TargetProbe(const wire::ConnectTarget& asked, const wire::ConnectTargets& request,
                const OwnAddresses& own);

    bool done() const { return done_; }
    bool begun() const { return begun_ || done_; }
    std::size_t sockets() const { return attempts_.size() + (measure_ ? 1 : 0); }
    const wire::ConnectResult& result() const { return result_; }

    void begin(double now);
    double due() const;
    void add_entries(std::vector<pollfd>& entries) const;
    /// Takes as many entries as add_entries() added.
    std::size_t step(double now, const pollfd* entries, bool may_open);

private:
    std::optional<int> prepare(const wire::ConnectTarget& asked);
    void open(double now);
    void settle();
    ConnectAttempt::Failure unanswered();
    void succeed(ConnectAttempt& attempt);
    void fail(const ConnectAttempt::Failure& failure);

    const OwnAddresses* own_;
    ProbeTarget target_;
    wire::ConnectResult result_;
    std::uint32_t segments_;
    std::uint32_t bulk_bytes_;
    double seconds_;
    double stagger_;
    std::list<ConnectAttempt> attempts_;
    std::size_t opened_ = 0;
    std::optional<PathMeasure> measure_;
    double began_ = 0;
    double next_attempt_ = 0;
    bool begun_ = false;
    bool done_ = false;
};

TargetProbe::TargetProbe(const wire::ConnectTarget& asked, const wire::ConnectTargets& request,
                         const OwnAddresses& own)
    : own_(&own), segments_(asked.segments()), bulk_bytes_(asked.bulk_bytes()) {
    seconds_ =
        std::isfinite(request.seconds()) ? std::clamp(request.seconds(), kShortest, kLongest) : kLongest;
    stagger_ = std::clamp(seconds_ / (kMostAttempts + 1), kShortestStagger, kLongestStagger);
    result_.set_id(asked.id());
    result_.set_icmp_type(-1);
    result_.set_icmp_code(-1);
    target_.plain = asked.plain();
    target_.key = derive_key(asked.token().empty() ? request.token() : asked.token(), TokenUse::Probe);
    if (const auto error = prepare(asked)) {
        result_.set_outcome(*error == EINVAL ? wire::CONNECT_FAILED : wire::CONNECT_NO_ADDRESS);
        result_.set_error(*error);
        done_ = true;
    }
}

// The errno that makes it pointless.
std::optional<int> TargetProbe::prepare(const wire::ConnectTarget& asked) {
    if (asked.port() == 0 || asked.port() > std::numeric_limits<std::uint16_t>::max()) {
        return EINVAL;
    }
    const auto address = scoped_address(asked.address(), static_cast<std::uint16_t>(asked.port()));
    if (!address) {
        return EINVAL;
    }
    target_.address = *address;
    target_.own = own_->contains(address->storage);
    target_.interface = asked.interface();
    if (target_.interface.empty()) {
        return std::nullopt;
    }
    target_.interface_index = ::if_nametoindex(target_.interface.c_str());
    if (target_.interface_index == 0) {
        return ENODEV;
    }
    target_.source = own_->source_on(target_.interface, address->storage);
    if (!target_.source) {
        return EADDRNOTAVAIL;
    }
    auto& v6 = reinterpret_cast<sockaddr_in6&>(target_.address.storage);
    if (v6.sin6_family == AF_INET6 && IN6_IS_ADDR_LINKLOCAL(&v6.sin6_addr) && v6.sin6_scope_id == 0) {
        v6.sin6_scope_id = target_.interface_index;
    }
    return std::nullopt;
}

void TargetProbe::begin(double now) {
    begun_ = true;
    began_ = now;
    open(now);
    settle();
}

void TargetProbe::open(double now) {
    attempts_.emplace_back(target_, *own_);
    const ConnectAttempt& opened = attempts_.back();
    next_attempt_ = now + stagger_;
    const bool no_descriptor = opened.state() == ConnectAttempt::State::Failed &&
                               (opened.failure().error == EMFILE || opened.failure().error == ENFILE);
    if (no_descriptor) {
        attempts_.pop_back();  // later, when other targets are finished
    } else {
        ++opened_;
    }
}

double TargetProbe::due() const {
    if (measure_) {
        return measure_->due();
    }
    const double deadline = began_ + seconds_;
    return opened_ < kMostAttempts ? std::min(next_attempt_, deadline) : deadline;
}

void TargetProbe::add_entries(std::vector<pollfd>& entries) const {
    if (measure_) {
        entries.push_back({measure_->fd(), measure_->events(), 0});
    }
    for (const ConnectAttempt& attempt : attempts_) {
        entries.push_back({attempt.fd(), attempt.events(), 0});
    }
}

std::size_t TargetProbe::step(double now, const pollfd* entries, bool may_open) {
    const std::size_t used = sockets();
    if (measure_) {
        if (const double time = monotonic_s(); entries->revents != 0 || time >= measure_->due()) {
            measure_->step(time, entries->revents);
        }
        if (measure_->done()) {
            measure_->fill(result_);
            measure_.reset();
            done_ = true;
        }
        return used;
    }
    for (ConnectAttempt& attempt : attempts_) {
        if (entries++->revents != 0) {
            attempt.step();
        }
    }
    settle();
    if (done_ || measure_) {
        return used;
    }
    if (now >= began_ + seconds_) {
        fail(unanswered());
    } else if (now >= next_attempt_ && opened_ < kMostAttempts) {
        if (may_open) {
            open(now);
            settle();
        } else {
            next_attempt_ = now + stagger_;
        }
    }
    return used;
}

// Of the one that came farthest, and then of the oldest: it has been waiting longest.
ConnectAttempt::Failure TargetProbe::unanswered() {
    if (attempts_.empty()) {
        return {wire::CONNECT_FAILED, EMFILE, {}};
    }
    const auto connected = std::find_if(
        attempts_.begin(), attempts_.end(),
        [](const ConnectAttempt& attempt) { return attempt.state() == ConnectAttempt::State::Exchanging; });
    return (connected == attempts_.end() ? attempts_.begin() : connected)->unanswered();
}

void TargetProbe::settle() {
    for (ConnectAttempt& attempt : attempts_) {
        if (attempt.state() == ConnectAttempt::State::Succeeded) {
            return succeed(attempt);
        }
    }
    for (const ConnectAttempt& attempt : attempts_) {
        if (attempt.state() == ConnectAttempt::State::Failed) {
            return fail(attempt.failure());
        }
    }
}

void TargetProbe::succeed(ConnectAttempt& attempt) {
    const double now = monotonic_s();
    result_.set_outcome(wire::CONNECTED);
    result_.set_seconds(now - began_);
    result_.set_seen_as(attempt.seen_as());
    result_.set_attempts(static_cast<std::uint32_t>(opened_));
    UniqueFd fd = attempt.take_socket();
    sockaddr_storage local{};
    socklen_t size = sizeof local;
    if (::getsockname(fd.get(), reinterpret_cast<sockaddr*>(&local), &size) == 0) {
        result_.set_local_address(address_text(local));
    }
    attempts_.clear();
    measure_.emplace(std::move(fd), target_.address.storage.ss_family, target_.plain ? 0 : segments_,
                     target_.plain ? 0 : bulk_bytes_, now);
    if (measure_->done()) {
        measure_->fill(result_);
        measure_.reset();
        done_ = true;
    }
}

void TargetProbe::fail(const ConnectAttempt::Failure& failure) {
    const ConnectAttempt::Failure kept = failure;  // of an attempt that goes now
    result_.set_outcome(kept.outcome);
    result_.set_error(kept.error);
    result_.set_seconds(monotonic_s() - began_);
    result_.set_attempts(static_cast<std::uint32_t>(opened_));
    if (kept.icmp) {
        result_.set_icmp_type(kept.icmp->type);
        result_.set_icmp_code(kept.icmp->code);
        result_.set_icmp_from(address_text(kept.icmp->from));
    }
    attempts_.clear();
    done_ = true;
}

/// All targets of a request.
class ConnectRound {
public:
    explicit ConnectRound(const wire::ConnectTargets& request) {
        const int count = std::min(request.targets_size(), kMostTargets);
        for (int i = 0; i < count; ++i) {
            probes_.emplace_back(request.targets(i), request, own_);
        }
    }

    void run(const std::stop_token& stop) {
        bool more = true;
        while (more && !stop.stop_requested()) {
            const bool waiting = begin_some();
            const bool active = step_all();
            more = waiting || active;
        }
    }

    wire::ConnectResults results() const {
        wire::ConnectResults results;
        for (const TargetProbe& probe : probes_) {
            *results.add_results() = probe.result();
        }
        return results;
    }

private:
    /// true: targets wait still.
    bool begin_some() {
        bool waiting = false;
        for (TargetProbe& probe : probes_) {
            if (probe.begun()) {
                continue;
            }
            if (sockets_ < limit_) {
                probe.begin(monotonic_s());
                sockets_ += probe.sockets();
            } else {
                waiting = true;
            }
        }
        return waiting;
    }

    /// Waits for the next thing to happen. true: there were targets in progress.
    bool step_all() {
        entries_.clear();
        std::vector<TargetProbe*> active;
        double due = monotonic_s() + kStopCheck;
        for (TargetProbe& probe : probes_) {
            if (probe.begun() && !probe.done()) {
                active.push_back(&probe);
                probe.add_entries(entries_);
                due = std::min(due, probe.due());
            }
        }
        // Before poll(2): a deadline counts only when nothing has arrived after it, however late this thread runs.
        const double now = monotonic_s();
        if (!active.empty()) {
            wait_any(entries_, std::max(0.0, due - now));
        }
        const pollfd* entry = entries_.data();
        sockets_ = entries_.size();
        for (TargetProbe* probe : active) {
            const std::size_t used = probe->step(now, entry, sockets_ < limit_);
            entry += used;
            sockets_ = sockets_ - used + probe->sockets();
        }
        return !active.empty();
    }

    OwnAddresses own_;
    std::list<TargetProbe> probes_;  // a probe's attempts refer to it
    std::vector<pollfd> entries_;
    std::size_t limit_ = socket_limit();
    std::size_t sockets_ = 0;
};

bool is_rejected(const wire::ConnectResult& result) {
    return result.outcome() == wire::CONNECT_ICMP_PORT || result.outcome() == wire::CONNECT_ICMP_PROHIBITED;
}

bool wait_for(double seconds, const std::stop_token& stop) {
    const double until = monotonic_s() + seconds;
    for (double left = seconds; left > 0 && !stop.stop_requested(); left = until - monotonic_s()) {
        sleep_s(std::min(left, kStopCheck));
    }
    return !stop.stop_requested();
}

/// A host that rejects by ICMP answers a few times and then about once per second, so further rejected ports look
/// dropped. For each such host, by the index of one of them: connect to that one alone, after a pause. A host that
/// answers now does so for the others as well.
void look_again(const wire::ConnectTargets& request, wire::ConnectResults& results,
                const std::stop_token& stop) {
    std::set<std::string> rejecting;
    for (int i = 0; i < results.results_size(); ++i) {
        if (is_rejected(results.results(i))) {
            rejecting.insert(request.targets(i).address());
        }
    }
    std::map<std::string, std::vector<int>> unanswered;
    for (int i = 0; i < results.results_size(); ++i) {
        const std::string& address = request.targets(i).address();
        if (results.results(i).outcome() == wire::CONNECT_DROPPED && rejecting.contains(address)) {
            unanswered[address].push_back(i);
        }
    }
    if (unanswered.empty() || !wait_for(kIcmpInterval, stop)) {
        return;
    }
    wire::ConnectTargets again;
    again.set_token(request.token());
    again.set_seconds(kLookAgain);
    for (const auto& [address, indices] : unanswered) {
        *again.add_targets() = request.targets(indices.front());
    }
    ConnectRound round(again);
    round.run(stop);
    const wire::ConnectResults second = round.results();
    int host = 0;
    for (const auto& [address, indices] : unanswered) {
        const wire::ConnectResult& found = second.results(host++);
        for (const int index : indices) {
            if (is_rejected(found)) {
                wire::ConnectResult& result = *results.mutable_results(index);
                result.set_outcome(found.outcome());
                result.set_error(found.error());
                result.set_icmp_type(found.icmp_type());
                result.set_icmp_code(found.icmp_code());
                result.set_icmp_from(found.icmp_from());
                result.set_inferred(index != indices.front());
            }
        }
    }
}

}  // namespace

wire::ConnectResults connect_targets(const wire::ConnectTargets& request, const std::stop_token& stop) {
    ConnectRound round(request);
    round.run(stop);
    wire::ConnectResults results = round.results();
    look_again(request, results, stop);
    return results;
}

}  // namespace rankscope::agent
