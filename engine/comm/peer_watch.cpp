// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <base/clock.h>
#include <base/number_text.h>
#include <base/wait_fd.h>
#include <engine/comm/out_of_step.h>
#include <engine/comm/peer_watch.h>

#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cstdio>

namespace rankscope::engine {
namespace {

using namespace std::chrono_literals;
using std::chrono::milliseconds;
using store_protocol::Message;
using store_protocol::Op;
using store_protocol::Status;

milliseconds beat_interval(milliseconds silence_limit) {
    return silence_limit == 0ms ? 500ms : std::clamp(silence_limit / 6, milliseconds(50), milliseconds(500));
}

/// "<rank> <kind> <reason>", as the server writes it.
PeerLoss parse_note(const std::string& note) {
    PeerLoss loss;
    const char* const end = note.data() + note.size();
    const char* at = std::from_chars(note.data(), end, loss.rank).ptr;
    at += at < end ? 1 : 0;
    const char* const space = std::find(at, end, ' ');
    loss.kind = std::string_view(at, static_cast<std::size_t>(space - at)) == store_protocol::kMissing
                    ? PeerLoss::Kind::missing
                    : PeerLoss::Kind::gone;
    loss.reason = space < end ? std::string(space + 1, end) : "";
    return loss;
}

}  // namespace

std::string PeerLoss::text(int self) const {
    if (rank == self) {
        return "the other ranks have lost this one: " + reason;
    }
    return kind == Kind::missing ? reason : "rank " + std::to_string(rank) + " is gone: " + reason;
}

PeerWatch::PeerWatch(StoreClientOptions store, PeerWatchOptions options,
                     std::function<void(const PeerLoss&)> lost)
    : store_(std::move(store)),
      options_(std::move(options)),
      interval_(beat_interval(options_.silence_limit)),
      tick_(std::min(interval_, milliseconds(100))),
      clock_(2 * tick_) {
    store_.watch = true;
    connection_ = TcpStore(store_).take_connection();
    thread_ = std::jthread([this, lost = std::move(lost)] { watch(lost); });
}

PeerWatch::~PeerWatch() {
    stop();
}

void PeerWatch::stop() {
    if (!stopping_.exchange(true)) {
        shutdown(connection_->socket().fd(), SHUT_RDWR);
    }
}

void PeerWatch::watch(const std::function<void(const PeerLoss&)>& lost) {
    std::optional<PeerLoss> loss;
    while (!loss && !stopping_) {
        loss = beat();
    }
    if (!loss || stopping_) {
        return;
    }
    if (options_.recorder) {
        options_.recorder->abort_all(loss->text(store_.rank));
    }
    lost(*loss);
}

PeerLoss PeerWatch::store_gone(const std::string& how) const {
    return {0, "its store at " + store_.host + ":" + std::to_string(store_.port) + " " + how};
}

/// One sign of life; the store answers when there is a loss, or after the interval.
std::optional<PeerLoss> PeerWatch::beat() {
    Message answer;
    std::optional<PeerLoss> loss =
        ask(Op::beat,
            {own_state(), std::to_string(options_.silence_limit.count()), std::to_string(interval_.count())},
            &answer);
    if (!loss && answer.kind == static_cast<std::uint8_t>(Status::ok) && !answer.fields.empty()) {
        return parse_note(answer.fields[0]);
    }
    return loss ? loss : check_collectives();
}

/// Sends a request and awaits its answer, looking after the collectives meanwhile.
std::optional<PeerLoss> PeerWatch::ask(Op op, std::vector<std::string> fields, Message* answer) {
    const Socket& socket = connection_->socket();
    const std::string frame = connection_->frame({static_cast<std::uint8_t>(op), std::move(fields)});
    if (!send_all(socket, frame.data(), frame.size(), Clock::now() + 5s)) {
        return store_gone("accepts no messages any more");
    }
    const Duration sent = clock_.tick();
    std::string sealed;
    while (!take_frame(sealed)) {
        wait_readable(socket.fd(), monotonic_s() + std::chrono::duration<double>(tick_).count());
        const Duration silent = clock_.tick() - sent;
        std::array<char, 4096> piece{};
        const ssize_t got = recv(socket.fd(), piece.data(), piece.size(), MSG_DONTWAIT);
        if (got > 0) {
            in_.append(piece.data(), static_cast<std::size_t>(got));
        } else if (got == 0 || (errno != EAGAIN && errno != EWOULDBLOCK && errno != EINTR)) {
            return store_gone("closed the connection (killed, crashed, or its machine is gone)");
        } else if (options_.silence_limit > 0ms && silent > interval_ + options_.silence_limit) {
            std::array<char, 160> text{};
            std::snprintf(text.data(), text.size(),
                          "has not answered for %s s: stopped (SIGSTOP, a debugger), or cut off from this "
                          "node",
                          fixed_text(std::chrono::duration<double>(silent - interval_).count(), 1).c_str());
            return store_gone(text.data());
        }
    }
    const auto opened = connection_->open(sealed);
    if (!opened) {
        return store_gone("sent a forged or damaged message");
    }
    *answer = *opened;
    return std::nullopt;
}

bool PeerWatch::take_frame(std::string& sealed) {
    if (in_.size() < 4) {
        return false;
    }
    const std::size_t length =
        store_protocol::read_length(static_cast<const unsigned char*>(static_cast<const void*>(in_.data())));
    if (in_.size() < 4 + length) {
        return false;
    }
    sealed = in_.substr(4, length);
    in_.erase(0, 4 + length);
    return true;
}

std::string PeerWatch::own_state() const {
    RankState state;
    if (options_.recorder) {
        for (const auto& record : options_.recorder->records()) {
            state[record->name()] = record->state();
        }
    }
    return to_text(state);
}

std::optional<PeerLoss> PeerWatch::check_collectives() {
    if (!options_.recorder || options_.collective_timeout == 0ms) {
        return std::nullopt;
    }
    for (const auto& record : options_.recorder->records()) {
        const GroupState state = record->state();
        Seen& seen = seen_[record->name()];
        if (!state.running || state.sequence != seen.sequence) {
            seen = {state.sequence, clock_.now(), Duration{0}};
            continue;
        }
        // Two intervals more, so that what the others say of themselves is newer than the time-out.
        const Duration waited = clock_.now() - seen.since;
        if (waited > options_.collective_timeout + 2 * interval_ && clock_.now() > seen.asked + interval_) {
            seen.asked = clock_.now();
            return accuse(*record, state, waited);
        }
    }
    return std::nullopt;
}

/// Reads what the others do and reports to the store who is missing; the store notifies all, this rank too.
std::optional<PeerLoss> PeerWatch::accuse(const GroupRecord& record, const GroupState& state,
                                          Duration waited) {
    std::map<int, RankState> states;
    for (const int rank : record.members()) {
        Message answer;
        std::optional<PeerLoss> loss = ask(Op::get, {store_protocol::state_key(rank), "0"}, &answer);
        if (loss) {
            return loss;
        }
        if (answer.kind == static_cast<std::uint8_t>(Status::ok) && !answer.fields.empty()) {
            if (auto known = parse_rank_state(answer.fields[0])) {
                states[rank] = *std::move(known);
            }
        }
    }
    states[store_.rank][record.name()] = state;
    const Missing missing = find_missing(record.name(), record.members(), state, states, waited);
    // Of a chain of waiting ranks (the stages of a pipeline), the one next to the last names it.
    if (missing.waits && waited < 2 * options_.collective_timeout) {
        return std::nullopt;
    }
    seen_[record.name()].since = clock_.now();
    Message answer;
    return ask(Op::accuse, {std::to_string(missing.rank), missing.sentence}, &answer);
}

}  // namespace rankscope::engine
